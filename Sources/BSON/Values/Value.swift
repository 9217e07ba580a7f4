/// One BSON value of any type that the specification knows.
///
/// Source: <https://bsonspec.org/spec.html>, version 1.1.
///
/// A binary of subtype 4 with 16 bytes is always ``uuid(_:)``, so that a UUID has one representation.
public enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case decimal128(Decimal128)
  case string(String)
  case binary(Binary)
  case uuid(UUID)
  case objectID(ObjectID)
  case date(Date)
  case document(Document)
  case array([Value])
  case timestamp(Timestamp)
  indirect case regularExpression(RegularExpression)
  case minKey
  case maxKey

  // Deprecated by the specification, still read and written.
  case undefined
  case symbol(String)
  case javaScript(String)
  indirect case javaScriptWithScope(code: String, scope: Document)
  indirect case dbPointer(namespace: String, id: ObjectID)
}

extension Value: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .document(Document(elements.map { Document.Element(key: $0.0, value: $0.1) }))
  }
}
