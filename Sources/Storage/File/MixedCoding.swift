import BSON
import Model

/// The bytes that stand for a ``Mixed``: in a mixed property's column where SQLite has no storage class of its
/// own for the type, and in the change log.
///
/// | tag | type | payload |
/// |---|---|---|
/// | 00 | null | |
/// | 01 | bool | 1 byte |
/// | 02 | float | 4 bytes |
/// | 03 | double | 8 bytes |
/// | 04 | decimal128 | 16 bytes: low, high |
/// | 05 | data | length, bytes |
/// | 06 | date | seconds 8 bytes, nanoseconds 4 bytes |
/// | 07 | objectId | 12 bytes, big-endian |
/// | 08 | uuid | 16 bytes, big-endian |
/// | 09 | link | object key 8 bytes, length, class |
/// | 0a | list | values, ff |
/// | 0b | dictionary | 0e length key value …, ff |
/// | 0c | int | 8 bytes |
/// | 0e | string | length, UTF-8 |
///
/// Integers are little-endian unless said otherwise, lengths are four bytes.
enum MixedCoding {
  enum Tag {
    static let null: UInt8 = 0x00
    static let bool: UInt8 = 0x01
    static let float: UInt8 = 0x02
    static let double: UInt8 = 0x03
    static let decimal128: UInt8 = 0x04
    static let data: UInt8 = 0x05
    static let date: UInt8 = 0x06
    static let objectID: UInt8 = 0x07
    static let uuid: UInt8 = 0x08
    static let link: UInt8 = 0x09
    static let list: UInt8 = 0x0a
    static let dictionary: UInt8 = 0x0b
    static let int: UInt8 = 0x0c
    static let string: UInt8 = 0x0e
    static let end: UInt8 = 0xff
  }

  /// Appends the value, tag first.
  static func append(_ value: Mixed, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(Tag.null)
    case .bool(let value):
      bytes.append(Tag.bool)
      bytes.append(value ? 1 : 0)
    case .int(let value):
      bytes.append(Tag.int)
      append(littleEndian: value, to: &bytes)
    case .float(let value):
      bytes.append(Tag.float)
      append(littleEndian: value.bitPattern, to: &bytes)
    case .double(let value):
      bytes.append(Tag.double)
      append(littleEndian: value.bitPattern, to: &bytes)
    case .decimal128(let value):
      bytes.append(Tag.decimal128)
      append(littleEndian: value.low, to: &bytes)
      append(littleEndian: value.high, to: &bytes)
    case .string(let value):
      bytes.append(Tag.string)
      append(value, to: &bytes)
    case .data(let value):
      bytes.append(Tag.data)
      append(littleEndian: UInt32(value.count), to: &bytes)
      bytes += value
    case .date(let value):
      bytes.append(Tag.date)
      append(littleEndian: value.seconds, to: &bytes)
      append(littleEndian: value.nanoseconds, to: &bytes)
    case .objectID(let value):
      bytes.append(Tag.objectID)
      append(littleEndian: value.high.byteSwapped, to: &bytes)
      append(littleEndian: value.low.byteSwapped, to: &bytes)
    case .uuid(let value):
      bytes.append(Tag.uuid)
      append(littleEndian: value.high.byteSwapped, to: &bytes)
      append(littleEndian: value.low.byteSwapped, to: &bytes)
    case .link(let link):
      bytes.append(Tag.link)
      append(littleEndian: link.key.value, to: &bytes)
      append(link.objectType, to: &bytes)
    case .list(let values):
      bytes.append(Tag.list)
      for value in values { append(value, to: &bytes) }
      bytes.append(Tag.end)
    case .dictionary(let entries):
      bytes.append(Tag.dictionary)
      for entry in entries {
        bytes.append(Tag.string)
        append(entry.key, to: &bytes)
        append(entry.value, to: &bytes)
      }
      bytes.append(Tag.end)
    }
  }

  /// The value that the bytes stand for; nil if they are not ours.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Mixed? {
    var decoder = MixedDecoder(bytes)
    guard let value = decoder.value(), decoder.isAtEnd else { return nil }
    return value
  }

  static func append<Integer: FixedWidthInteger>(littleEndian value: Integer, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a length and the text.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    append(littleEndian: UInt32(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }
}
