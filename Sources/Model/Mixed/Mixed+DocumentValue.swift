public import GatehouseBSON

// Documents of schemaless classes hold values of all of BSON's types. One whose type no property has is a dictionary with one key, which no
// document can have otherwise, of the value's canonical Extended JSON.

extension Mixed {
  fileprivate static let wrappingKey = "$value"

  /// Stands for an `_id` that is null: a null in the file says that there is nothing.
  public static let nullIdentifier = Mixed(wrapping: .null)

  init(wrapping value: Value) {
    self = .dictionary([
      Entry(key: Self.wrappingKey, value: .string(String(decoding: value.extendedJSON, as: UTF8.self)))
    ])
  }

  /// Makes of a value what documents of schemaless classes hold of it; nil where a key is there twice.
  public init?(ofDocument value: Value) {
    switch value {
    case .timestamp, .regularExpression, .minKey, .maxKey, .undefined, .symbol, .javaScript,
      .javaScriptWithScope, .dbPointer:
      self.init(wrapping: value)
    case .binary(let binary) where binary.subtype != 0: self.init(wrapping: value)
    case .array(let values): self.init(values) { Mixed(ofDocument: $0) }
    case .document(let document): self.init(document) { Mixed(ofDocument: $0) }
    case .null, .bool, .int32, .int64, .double, .decimal128, .string, .binary, .uuid, .objectID, .date:
      self.init(value)
    }
  }

  /// Makes of the `_id` of a document what identifies it; nil where a key is there twice.
  public init?(identifying value: Value) {
    if value == .null { self = .nullIdentifier } else { self.init(ofDocument: value) }
  }
}

extension [Mixed.Entry] {
  /// The value that a dictionary stands for; nil: it is a dictionary.
  public var wrappedValue: Value? {
    guard count == 1, self[0].key == Mixed.wrappingKey, case .string(let text) = self[0].value else {
      return nil
    }
    return try? Value(json: text)
  }
}
