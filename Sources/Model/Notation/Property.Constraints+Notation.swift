import GatehouseBSON

extension Property.Constraints {
  static let members = [
    "unique", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
  ]

  /// Reads the members of a property's object form; nil: there are none, or they say nothing. Whether the type has such values
  /// shows when the schema is validated.
  init?(from members: inout NotationMembers) {
    self.init(
      isUnique: members.bool("unique") ?? false, allowed: Self.allowed(from: &members),
      minimum: members.value("minimum"), maximum: members.value("maximum"),
      length: CountBounds(minimum: members.count("minLength"), maximum: members.count("maxLength")),
      count: CountBounds(minimum: members.count("minItems"), maximum: members.count("maxItems")))
    if self == Property.Constraints() { return nil }
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
