import GatehouseBSON
import GatehouseModel

/// Writes an object's values as the change log keeps them: ``MixedCoding``'s bytes, links as primary keys.
///
/// Unlike JSON or BSON it loses nothing: floats stay floats and dates keep their nanoseconds.
struct ImageWriter: ValueWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: Bytes that there is room for at once.
  init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  mutating func beginDocument() { bytes.append(MixedCoding.Tag.dictionary) }
  mutating func endDocument() { bytes.append(MixedCoding.Tag.end) }
  mutating func beginArray() { bytes.append(MixedCoding.Tag.list) }
  mutating func endArray() { bytes.append(MixedCoding.Tag.end) }

  mutating func key(_ key: PreparedKey) {
    MixedCoding.append(MixedCoding.Tag.string, key.name, to: &bytes)
  }

  mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) { string(utf8) }
  mutating func null() { bytes.append(MixedCoding.Tag.null) }
  mutating func bool(_ value: Bool) { MixedCoding.append(.bool(value), to: &bytes) }
  mutating func int64(_ value: Int64) { MixedCoding.append(.int(value), to: &bytes) }
  mutating func double(_ value: Double) { MixedCoding.append(.double(value), to: &bytes) }
  mutating func float(_ value: Float) { MixedCoding.append(.float(value), to: &bytes) }
  mutating func decimal128(_ value: Decimal128) { MixedCoding.append(.decimal128(value), to: &bytes) }
  mutating func date(_ value: Date) { MixedCoding.append(.date(value), to: &bytes) }
  mutating func objectID(_ value: ObjectID) { MixedCoding.append(.objectID(value), to: &bytes) }
  mutating func uuid(_ value: UUID) { MixedCoding.append(.uuid(value), to: &bytes) }

  mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    MixedCoding.append(MixedCoding.Tag.string, utf8, to: &bytes)
  }

  mutating func data(_ data: UnsafeBufferPointer<UInt8>) {
    MixedCoding.append(MixedCoding.Tag.data, data, to: &bytes)
  }

  /// Writes a value; one with a key twice does not come here.
  mutating func value(_ value: Value) { MixedCoding.append(Mixed(ofDocument: value) ?? .null, to: &bytes) }
}
