import GatehouseBSON

extension ElementType {
  /// The values of the type that meet rules, as far as JSON Schema can say so; nil: it cannot say more than of the type.
  func jsonSchema(for constraints: ValueConstraints) -> Document? {
    let spelt = constraints.spelt
    switch self {
    case .bool, .int, .string:
      var document = jsonSchema
      if let allowed = spelt.allowed { document.set("enum", .array(allowed)) }
      if let minimum = spelt.minimum { document.set("minimum", minimum) }
      if let maximum = spelt.maximum { document.set("maximum", maximum) }
      if self == .string { document.append(spelt.length, of: "Length") }
      return document
    case .float, .double: return number(spelt)
    // Texts of which the server writes one spelling, and reads others.
    case .date, .objectID, .uuid:
      guard let allowed = constraints.allowed else { return nil }
      var document = jsonSchema
      let values = allowed.map { Value.string($0.value { _ in .null }.plainText) }
      document.set("enum", .array(values))
      return document
    case .decimal128, .data, .mixed, .object: return nil
    }
  }

  /// Returns numbers in a range. Of those that JSON does not have, it leaves the infinity beyond an open end.
  private func number(_ spelt: Property.Constraints) -> Document? {
    var document: Document = ["type": .string("number"), "format": .string("double")]
    if let allowed = spelt.allowed { document.append("enum", .array(allowed)) }
    if let minimum = spelt.minimum { document.append("minimum", minimum) }
    if let maximum = spelt.maximum { document.append("maximum", maximum) }
    if spelt.allowed == nil, spelt.minimum == nil, spelt.maximum == nil { return nil }
    guard spelt.allowed == nil, spelt.minimum == nil || spelt.maximum == nil else { return document }
    let infinity = spelt.minimum == nil ? "-Infinity" : "Infinity"
    return [
      "anyOf": .array([
        .document(document),
        [
          "type": .string("object"),
          "properties": ["$numberDouble": ["type": .string("string"), "enum": .array([.string(infinity)])]],
          "required": .array([.string("$numberDouble")]), "additionalProperties": .bool(false),
        ],
      ])
    ]
  }
}

extension ValueConstraints {
  /// A sentence with the rules for values of a type that JSON Schema has no words for; nil: there are none.
  func note(on element: ElementType) -> String? {
    var parts: [String] = []
    switch element {
    case .decimal128:
      if let allowed = spelt.allowed { parts.append("one of \(allowed.map(\.text).joined(separator: ", "))") }
      fallthrough
    case .date:
      if let minimum = spelt.minimum { parts.append("at least \(minimum.text)") }
      if let maximum = spelt.maximum { parts.append("at most \(maximum.text)") }
    case .data:
      if let minimum = spelt.length.minimum { parts.append("at least \(minimum) bytes") }
      if let maximum = spelt.length.maximum { parts.append("at most \(maximum) bytes") }
    case .bool, .int, .float, .double, .string, .objectID, .uuid, .mixed, .object: break
    }
    return parts.isEmpty ? nil : "Values: \(parts.joined(separator: ", "))."
  }
}

extension Value {
  fileprivate var text: String { String(decoding: plainJSON, as: UTF8.self) }

  /// The text that plain JSON spells the value with.
  fileprivate var plainText: String { text.split(separator: "\"").joined() }
}

extension Document {
  /// Gives a member another value; where there is none, the document gets it.
  mutating func set(_ name: String, _ value: Value) {
    guard let index = elements.firstIndex(where: { $0.key == name }) else { return append(name, value) }
    elements[index].value = value
  }

  /// Appends `minItems` and the like.
  mutating func append(_ bounds: CountBounds, of what: String) {
    if let minimum = bounds.minimum { append("min\(what)", .int64(Int64(minimum))) }
    if let maximum = bounds.maximum { append("max\(what)", .int64(Int64(maximum))) }
  }
}
