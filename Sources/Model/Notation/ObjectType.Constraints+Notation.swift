import GatehouseBSON

extension ObjectType.Constraints {
  /// Reads `"unique": [["country", "city"], …]`.
  init(from members: inout NotationMembers, of properties: [Property]) {
    self.init(uniqueKeys: Self.uniqueKeys(from: &members, of: properties))
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
    if uniqueKeys.isEmpty { return }
    document.append("unique", .array(uniqueKeys.map { .array(type.names(at: $0).map { .string($0) }) }))
  }
}
