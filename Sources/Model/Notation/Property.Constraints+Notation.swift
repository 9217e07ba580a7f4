import GatehouseBSON

extension Property.Constraints {
  static let members = [
    "unique", "onUpdate", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
  ]

  /// Reads the members of a property's object form; nil: there are none, or they say nothing. Whether the type has such values
  /// shows when the schema is validated.
  init?(from members: inout NotationMembers) {
    self.init(
      isUnique: members.bool("unique") ?? false, allowed: Self.allowed(from: &members),
      minimum: members.value("minimum"), maximum: members.value("maximum"),
      length: CountBounds(minimum: members.count("minLength"), maximum: members.count("maxLength")),
      count: CountBounds(minimum: members.count("minItems"), maximum: members.count("maxItems")))
    isUpdateTime = Self.isUpdateTime(from: &members)
    if self == Property.Constraints() { return nil }
  }

  private static func isUpdateTime(from members: inout NotationMembers) -> Bool {
    guard let value = members.value("onUpdate") else { return false }
    if value == .string("now") { return true }
    members.report(.memberOfWrongType("onUpdate"))
    return false
  }

  private static func allowed(from members: inout NotationMembers) -> [Value]? {
    guard let value = members.value("enum") else { return nil }
    if case .array(let values) = value { return values }
    members.report(.memberOfWrongType("enum"))
    return nil
  }

  /// Appends the members that ``init(from:)`` reads.
  func append(to document: inout Document) {
    if isUnique { document.append("unique", .bool(true)) }
    if isUpdateTime { document.append("onUpdate", .string("now")) }
    if let allowed { document.append("enum", .array(allowed)) }
    if let minimum { document.append("minimum", minimum) }
    if let maximum { document.append("maximum", maximum) }
    let counts = [
      ("minLength", length.minimum), ("maxLength", length.maximum), ("minItems", count.minimum),
      ("maxItems", count.maximum),
    ]
    for (name, count) in counts {
      if let count { document.append(name, Int32(exactly: count).map { .int32($0) } ?? .int64(Int64(count))) }
    }
  }
}
