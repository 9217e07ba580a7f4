extension ObjectType {
  /// The rules that objects of a class have to meet beside those of single properties.
  public struct Constraints: Hashable, Sendable {
    /// Positions of properties that no two objects may have the same values of, all of them taken together. An object
    /// in which one is null may be there any number of times, as in SQL.
    public var uniqueKeys: [[Int]]
    /// Predicates of the query language that each object has to meet.
    public var checks: [String]

    public init(uniqueKeys: [[Int]] = [], checks: [String] = []) {
      self.uniqueKeys = uniqueKeys
      self.checks = checks
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
  static let mostChecks = 32

  /// Returns the rules that somebody may know to whom the properties at the positions do not exist.
  func withoutProperties(_ hidden: Set<Int>) -> Self {
    if hidden.isEmpty { return self }
    return Self(
      uniqueKeys: uniqueKeys.filter { $0.allSatisfy { !hidden.contains($0) } }, checks: checks)
  }

  /// Returns the rules without the checks that may name one of those properties.
  func withoutChecks(naming hidden: Set<String>) -> Self {
    Self(uniqueKeys: uniqueKeys, checks: checks.filter { !Self.mayName(hidden, check: $0) })
  }

  /// Whether a check may name one of those properties: more texts than those that do are taken for such, and none less.
  public static func mayName(_ properties: Set<String>, check: String) -> Bool {
    if properties.isEmpty { return false }
    // Names may have spaces, which the language escapes.
    let bytes = check.utf8.filter { $0 != UInt8(ascii: "\\") }
    return properties.contains { name in
      bytes.ranges(of: Array(name.utf8)).contains { range in
        !(bytes[..<range.lowerBound].last?.isPartOfName ?? false)
          && !(bytes[range.upperBound...].first?.isPartOfName ?? false)
      }
    }
  }

  /// Returns the rules that they break as those of that class.
  func brokenRules(of type: ObjectType, in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    if uniqueKeys.count > Self.mostUniqueKeys { rules.append(.tooManyUniqueKeys(limit: Self.mostUniqueKeys)) }
    if checks.count > Self.mostChecks { rules.append(.tooManyChecks(limit: Self.mostChecks)) }
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

extension UInt8 {
  /// Whether the byte goes on with a name in the query language, or begins one, wherever it stands.
  fileprivate var isPartOfName: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
