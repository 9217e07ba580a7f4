extension ObjectType {
  /// The rules that objects of a class have to meet beside those of single properties.
  public struct Constraints: Hashable, Sendable {
    /// Positions of properties that no two objects may have the same values of, all of them taken together. An object
    /// in which one is null may be there any number of times, as in SQL.
    public var uniqueKeys: [[Int]]

    public init(uniqueKeys: [[Int]] = []) {
      self.uniqueKeys = uniqueKeys
    }

    /// Returns the rules that somebody may know to whom the properties at the positions do not exist.
    func withoutProperties(_ hidden: Set<Int>) -> Constraints {
      if hidden.isEmpty { return self }
      return Constraints(uniqueKeys: uniqueKeys.filter { $0.allSatisfy { !hidden.contains($0) } })
    }
  }

  /// All that must be unique beside the primary key: of single properties, and of several together.
  public var uniqueKeys: [[Int]] {
    properties.indices.filter { properties[$0].isUnique && $0 != primaryKeyIndex }.map { [$0] }
      + constraints.uniqueKeys
  }

  /// The names of properties at positions.
  public func names(at positions: [Int]) -> [String] { positions.map { properties[$0].name } }
}

extension ObjectType.Constraints {
  static let mostUniqueKeys = 32

  /// Returns the rules that they break as those of that class.
  func brokenRules(of type: ObjectType, in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    if uniqueKeys.count > Self.mostUniqueKeys { rules.append(.tooManyUniqueKeys(limit: Self.mostUniqueKeys)) }
    for (position, key) in uniqueKeys.enumerated() {
      let isRepeated = uniqueKeys[..<position].contains { Set($0) == Set(key) }
      if key.isEmpty || Set(key).count != key.count || isRepeated { rules.append(.malformedUniqueKey) }
      if key.count > ObjectType.mostIndexKeys {
        rules.append(.tooManyIndexKeys(limit: ObjectType.mostIndexKeys))
      }
      for property in key where !type.properties[property].type.isUniquable(in: schema) {
        rules.append(.uniqueNotAllowed(type.properties[property].name))
      }
    }
    return rules
  }
}

extension PropertyType {
  /// Whether SQLite's index on a column of the type takes those values for the same that are the same: single values of
  /// one type, and links.
  func isUniquable(in schema: Schema) -> Bool {
    guard case .one(let element, _) = self else { return false }
    if case .object(let target) = element { return schema[target]?.isEmbedded == false }
    return element.hasIndexOrder
  }
}
