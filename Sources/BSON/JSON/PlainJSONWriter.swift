/// Writes JSON as people write it, for readers that know the types from a schema.
///
/// Object ids, UUIDs, dates (RFC 3339, UTC), decimals and data (Base 64) are strings; integers and doubles
/// are numbers, doubles always with a point or an exponent. What JSON has no number for (`NaN`, infinities)
/// is Extended JSON's `{"$numberDouble":"NaN"}`. ``value(_:)`` writes the types that JSON lacks as relaxed
/// Extended JSON, a UUID as `{"$uuid":"…"}`.
public struct PlainJSONWriter: JSONTextWriter {
  public var output: JSONOutput

  @inlinable
  public init(appendingTo bytes: consuming [UInt8]) {
    output = JSONOutput(appendingTo: bytes)
  }

  @inlinable
  public mutating func int64(_ value: Int64) {
    output.integer(value)
  }

  @inlinable
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return output.numberDouble(value) }
    output.separate()
    output.bytes.appendShortest(value)
  }

  @inlinable
  public mutating func float(_ value: Float) {
    guard value.isFinite else { return output.numberDouble(Double(value)) }
    output.separate()
    output.bytes.appendShortest(value)
  }

  @inlinable
  public mutating func decimal128(_ value: Decimal128) {
    output.quoted(value)
  }

  @inlinable
  public mutating func data(_ bytes: UnsafeBufferPointer<UInt8>) {
    output.base64(bytes)
  }

  @inlinable
  public mutating func date(_ value: Date) {
    output.quoted(value)
  }

  @inlinable
  public mutating func objectID(_ value: ObjectID) {
    output.quoted(value)
  }

  @inlinable
  public mutating func uuid(_ value: UUID) {
    output.quoted(value)
  }

  /// Copies the text and says that it is UTC, unless the year has not four digits.
  @inlinable
  public mutating func dateText(_ storedText: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = storedText.first, first &- 0x30 < 10 else { return date(storedText: storedText) }
    guard JSONOutput.isPlain(storedText) else { return false }
    output.separate()
    output.bytes.append(0x22)
    output.bytes.append(storedText)
    output.append("Z\"")
    return true
  }

  @usableFromInline
  mutating func date(storedText: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let value = Date(storedText: storedText) else { return false }
    date(value)
    return true
  }

  @inlinable
  public mutating func decimal128Text(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    output.copy(text)
  }

  @inlinable
  public mutating func objectIDText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    output.copy(text)
  }

  @inlinable
  public mutating func uuidText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    output.copy(text)
  }

  public mutating func value(_ value: Value) {
    switch value {
    case .int32(let number): int64(Int64(number))
    case .int64(let number): int64(number)
    case .double(let number): double(number)
    case .date(let date): output.relaxedDate(date)
    case .uuid(let uuid): output.wrapped("{\"$uuid\":", uuid)
    case .document(let document): self.document(document)
    case .array(let values):
      beginArray()
      for element in values { self.value(element) }
      endArray()
    case .javaScriptWithScope(let code, let scope):
      output.code(code)
      document(scope)
      output.append("}")
    case .null, .bool, .decimal128, .string, .binary, .objectID, .timestamp, .regularExpression, .minKey,
      .maxKey, .undefined, .symbol, .javaScript, .dbPointer:
      output.extended(value)
    }
  }

  private mutating func document(_ document: Document) {
    beginDocument()
    for element in document.elements {
      output.key(element.key)
      value(element.value)
    }
    endDocument()
  }
}
