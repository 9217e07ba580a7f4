import GatehouseBSON
import GatehouseModel

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
    case .bool(let value): append(Tag.bool, UInt8(value ? 1 : 0), to: &bytes)
    case .int(let value): append(Tag.int, value, to: &bytes)
    case .float(let value): append(Tag.float, value.bitPattern, to: &bytes)
    case .double(let value): append(Tag.double, value.bitPattern, to: &bytes)
    case .decimal128(let value): append(Tag.decimal128, value.low, and: value.high, to: &bytes)
    case .string(let value): append(Tag.string, value, to: &bytes)
    case .data(let value): value.withUnsafeBufferPointer { append(Tag.data, $0, to: &bytes) }
    case .date(let value): append(Tag.date, value.seconds, and: value.nanoseconds, to: &bytes)
    case .objectID(let value):
      append(Tag.objectID, value.high.byteSwapped, and: value.low.byteSwapped, to: &bytes)
    case .uuid(let value): append(Tag.uuid, value.high.byteSwapped, and: value.low.byteSwapped, to: &bytes)
    case .link(let link):
      append(Tag.link, link.key.value, and: UInt32(link.objectType.utf8.count), to: &bytes)
      bytes.append(contentsOf: link.objectType.utf8)
    case .list(let values):
      bytes.append(Tag.list)
      for value in values { append(value, to: &bytes) }
      bytes.append(Tag.end)
    case .dictionary(let entries):
      bytes.append(Tag.dictionary)
      for entry in entries {
        append(Tag.string, entry.key, to: &bytes)
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

  /// Appends a tag and a number.
  @inline(__always)
  private static func append(_ tag: UInt8, _ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: 9) { output in
      output.append(tag)
      output.append(littleEndian: number)
    }
  }

  /// Appends a tag and two numbers.
  @inline(__always)
  private static func append(
    _ tag: UInt8, _ first: some FixedWidthInteger, and second: some FixedWidthInteger, to bytes: inout [UInt8]
  ) {
    bytes.append(addingCapacity: 17) { output in
      output.append(tag)
      output.append(littleEndian: first)
      output.append(littleEndian: second)
    }
  }

  /// Appends a tag, a length and the text.
  static func append(_ tag: UInt8, _ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(tag, $0, to: &bytes) }
  }

  /// Appends a tag, a length and bytes.
  static func append(_ tag: UInt8, _ content: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: 5 + content.count) { output in
      output.append(tag)
      output.append(littleEndian: UInt32(content.count))
      output.append(content)
    }
  }
}
