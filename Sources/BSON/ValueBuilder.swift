/// Builds a ``Value`` from the pieces.
///
/// A float32 becomes the double that equals it.
public struct ValueBuilder: ValueWriter {
  private enum Container {
    case document(Document, key: String)
    case array([Value])
  }

  /// The containers that are still open, outermost first.
  private var open: [Container] = []
  private var result: Value?

  public init() {}

  /// The value.
  /// - Precondition: one whole value was written.
  public consuming func finish() -> Value {
    guard open.isEmpty, let result else { preconditionFailure("not one whole value") }
    return result
  }

  private mutating func append(_ value: Value) {
    switch open.popLast() {
    case .document(var document, let key):
      document.append(key, value)
      open.append(.document(document, key: ""))
    case .array(var values):
      values.append(value)
      open.append(.array(values))
    case nil: result = value
    }
  }

  public mutating func beginDocument() {
    open.append(.document(Document(), key: ""))
  }

  public mutating func endDocument() {
    guard case .document(let document, _) = open.popLast() else { preconditionFailure("no open document") }
    append(.document(document))
  }

  public mutating func beginArray() {
    open.append(.array([]))
  }

  public mutating func endArray() {
    guard case .array(let values) = open.popLast() else { preconditionFailure("no open array") }
    append(.array(values))
  }

  private mutating func name(_ key: String) {
    guard case .document(let document, _) = open.popLast() else { preconditionFailure("no open document") }
    open.append(.document(document, key: key))
  }

  public mutating func key(_ key: PreparedKey) {
    name(key.name)
  }

  public mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    name(String(decoding: utf8, as: UTF8.self))
  }

  public mutating func null() {
    append(.null)
  }

  public mutating func bool(_ value: Bool) {
    append(.bool(value))
  }

  public mutating func int64(_ value: Int64) {
    append(.int64(value))
  }

  public mutating func double(_ value: Double) {
    append(.double(value))
  }

  public mutating func decimal128(_ value: Decimal128) {
    append(.decimal128(value))
  }

  public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    append(.string(String(decoding: utf8, as: UTF8.self)))
  }

  public mutating func data(_ bytes: UnsafeBufferPointer<UInt8>) {
    append(.binary(Binary(bytes: Array(bytes))))
  }

  public mutating func date(_ value: Date) {
    append(.date(value))
  }

  public mutating func objectID(_ value: ObjectID) {
    append(.objectID(value))
  }

  public mutating func uuid(_ value: UUID) {
    append(.uuid(value))
  }

  public mutating func value(_ value: Value) {
    append(value)
  }
}
