/// Writes canonical Extended JSON v2, which says the type of everything.
///
/// Two things that the specification has no text for: a date with digits below a millisecond, or too far
/// away for 64 bits of milliseconds, is `{"$date":"…"}` in RFC 3339, so that nothing is lost; and a float32
/// is the double that equals it.
public struct ExtendedJSONWriter: ValueWriter {
  @usableFromInline var output: JSONOutput

  /// Goes on behind what `bytes` holds; they should have room for what follows.
  @inlinable
  public init(appendingTo bytes: consuming [UInt8] = []) {
    output = JSONOutput(appendingTo: bytes)
  }

  /// All the bytes.
  @inlinable
  public consuming func finish() -> [UInt8] {
    output.bytes
  }

  /// How many bytes there are by now.
  @inlinable
  public var count: Int { output.bytes.count }

  /// Writes bytes that are none of the value's, such as a line feed between two values.
  @inlinable
  public mutating func separator(_ text: StaticString) {
    output.append(text)
    output.needsComma = false
  }

  public var place: Int? { output.place }

  public mutating func repeatValue(at range: Range<Int>) {
    output.repeatValue(at: range)
  }

  @inlinable
  public mutating func beginDocument() {
    output.begin(0x7B)
  }

  @inlinable
  public mutating func endDocument() {
    output.end(0x7D)
  }

  @inlinable
  public mutating func beginArray() {
    output.begin(0x5B)
  }

  @inlinable
  public mutating func endArray() {
    output.end(0x5D)
  }

  @inlinable
  public mutating func key(_ key: PreparedKey) {
    output.key(key)
  }

  @inlinable
  public mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    output.key(utf8)
  }

  @inlinable
  public mutating func null() {
    output.literal("null")
  }

  @inlinable
  public mutating func bool(_ value: Bool) {
    output.bool(value)
  }

  @inlinable
  public mutating func int64(_ value: Int64) {
    output.numberInteger("{\"$numberLong\":", value)
  }

  @inlinable
  public mutating func double(_ value: Double) {
    output.numberDouble(value)
  }

  @inlinable
  public mutating func decimal128(_ value: Decimal128) {
    output.wrapped("{\"$numberDecimal\":", value)
  }

  @inlinable
  public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    output.string(utf8)
  }

  @inlinable
  public mutating func data(_ bytes: UnsafeBufferPointer<UInt8>) {
    output.binary(bytes, subtype: 0)
  }

  @inlinable
  public mutating func date(_ value: Date) {
    output.date(value)
  }

  @inlinable
  public mutating func objectID(_ value: ObjectID) {
    output.wrapped("{\"$oid\":", value)
  }

  @inlinable
  public mutating func uuid(_ value: UUID) {
    output.uuid(value)
  }

  @inlinable
  public mutating func decimal128Text(_ text: UnsafeBufferPointer<UInt8>) {
    output.wrapped("{\"$numberDecimal\":", ascii: text)
  }

  @inlinable
  public mutating func objectIDText(_ text: UnsafeBufferPointer<UInt8>) {
    output.wrapped("{\"$oid\":", ascii: text)
  }

  public mutating func value(_ value: Value) {
    output.extended(value)
  }
}
