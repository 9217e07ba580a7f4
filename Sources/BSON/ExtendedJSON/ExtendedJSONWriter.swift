/// Writes canonical Extended JSON v2, which says the type of everything.
///
/// Two things that the specification has no text for: a date with digits below a millisecond, or too far
/// away for 64 bits of milliseconds, is `{"$date":"…"}` in RFC 3339, so that nothing is lost; and a float32
/// is the double that equals it.
public struct ExtendedJSONWriter: JSONTextWriter {
  public var output: JSONOutput

  @inlinable
  public init(appendingTo bytes: consuming [UInt8]) {
    output = JSONOutput(appendingTo: bytes)
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

  public mutating func value(_ value: Value) {
    output.extended(value)
  }
}
