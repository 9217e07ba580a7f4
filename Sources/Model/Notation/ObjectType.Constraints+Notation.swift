import GatehouseBSON

extension ObjectType.Constraints {
  /// Reads `"unique": [["country", "city"], …]`, and `"check": "born < died"` or several in an array.
  init(from members: inout NotationMembers, of properties: [Property]) {
    self.init(
      uniqueKeys: Self.uniqueKeys(from: &members, of: properties), checks: Self.checks(from: &members))
  }

  private static func checks(from members: inout NotationMembers) -> [String] {
    let notations: [Value]
    switch members.value("check") {
    case nil: return []
    case .array(let values)?: notations = values
    case let value?: notations = [value]
    }
    return notations.compactMap { notation in
      if case .string(let check) = notation { return check }
      members.report(.memberOfWrongType("check"))
      return nil
    }
  }

  private static func uniqueKeys(from members: inout NotationMembers, of properties: [Property]) -> [[Int]] {
    guard let notation = members.value("unique") else { return [] }
    guard case .array(let elements) = notation else {
      members.report(.memberOfWrongType("unique"))
      return []
    }
    var keys: [[Int]] = []
    for element in elements {
      guard case .array(let names) = element else {
        members.report(.memberOfWrongType("unique"))
        continue
      }
      var key: [Int] = []
      for name in names {
        guard case .string(let name) = name else {
          members.report(.memberOfWrongType("unique"))
          continue
        }
        let position = properties.firstIndex { $0.name.compareBytes(name) == 0 }
        if let position { key.append(position) } else { members.report(.unknownUniqueProperty(name)) }
      }
      keys.append(key)
    }
    return keys
  }

  /// Appends the members that ``init(from:of:)`` reads.
  func append(to document: inout Document, of type: ObjectType) {
    if !uniqueKeys.isEmpty {
      document.append("unique", .array(uniqueKeys.map { .array(type.names(at: $0).map { .string($0) }) }))
    }
    if checks.count == 1 { document.append("check", .string(checks[0])) }
    if checks.count > 1 { document.append("check", .array(checks.map { .string($0) })) }
  }
}
