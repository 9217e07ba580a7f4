import GatehouseBSON

/// A BSON value as a Swift literal: what a reader makes of plain JSON.
struct Plain: Sendable {
  let value: GatehouseBSON.Value

  /// A value that JSON cannot say.
  static func typed(_ value: GatehouseBSON.Value) -> Plain { Plain(value: value) }
}

extension Plain: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  init(nilLiteral: ()) { value = .null }
  init(booleanLiteral literal: Bool) { value = .bool(literal) }
  init(integerLiteral literal: Int64) { value = .int64(literal) }
}

extension Plain: ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  init(floatLiteral literal: Double) { value = .double(literal) }
  init(stringLiteral literal: String) { value = .string(literal) }
}

extension Plain: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  init(arrayLiteral elements: Plain...) { value = .array(elements.map(\.value)) }
  init(dictionaryLiteral elements: (String, Plain)...) {
    value = .document(Document(elements.map { Document.Element(key: $0.0, value: $0.1.value) }))
  }
}
