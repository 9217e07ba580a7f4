import GatehouseBSON
import GatehouseModel

/// Reads what ``MixedCoding`` wrote. Every member is nil when the bytes end too early or mean nothing.
struct MixedDecoder {
  /// More than ``InputReader`` takes of a mixed value and what holds it.
  private static let largestDepth = 200

  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next value.
  mutating func value() -> Mixed? {
    integer(UInt8.self).flatMap { value(tag: $0) }
  }

  private mutating func value(tag: UInt8) -> Mixed? {
    switch tag {
    case MixedCoding.Tag.null: return .null
    case MixedCoding.Tag.bool: return integer(UInt8.self).map { .bool($0 != 0) }
    case MixedCoding.Tag.int: return integer(Int64.self).map { .int($0) }
    case MixedCoding.Tag.float: return integer(UInt32.self).map { .float(Float(bitPattern: $0)) }
    case MixedCoding.Tag.double: return integer(UInt64.self).map { .double(Double(bitPattern: $0)) }
    case MixedCoding.Tag.decimal128:
      guard let low = integer(UInt64.self), let high = integer(UInt64.self) else { return nil }
      return .decimal128(Decimal128(high: high, low: low))
    case MixedCoding.Tag.string: return text().map { .string($0) }
    case MixedCoding.Tag.data: return piece().map { .data(Array($0)) }
    case MixedCoding.Tag.date:
      guard let seconds = integer(Int64.self), let nanoseconds = integer(Int32.self),
        (0..<1_000_000_000).contains(nanoseconds)
      else { return nil }
      return .date(Date(seconds: seconds, nanoseconds: nanoseconds))
    case MixedCoding.Tag.objectID:
      guard let high = integer(UInt64.self), let low = integer(UInt32.self) else { return nil }
      return .objectID(ObjectID(high: high.byteSwapped, low: low.byteSwapped))
    case MixedCoding.Tag.uuid:
      guard let high = integer(UInt64.self), let low = integer(UInt64.self) else { return nil }
      return .uuid(UUID(high: high.byteSwapped, low: low.byteSwapped))
    case MixedCoding.Tag.link:
      guard let key = integer(Int64.self), let objectType = text() else { return nil }
      return .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
    case MixedCoding.Tag.list: return nested { $0.list() }
    case MixedCoding.Tag.dictionary: return nested { $0.dictionary() }
    default: return nil
    }
  }

  private mutating func nested(_ value: (inout MixedDecoder) -> Mixed?) -> Mixed? {
    guard depth < MixedDecoder.largestDepth else { return nil }
    depth += 1
    defer {
      depth -= 1
      precondition(depth >= 0 && offset <= bytes.count, "what was entered is left, inside of the bytes")
    }
    return value(&self)
  }

  private mutating func list() -> Mixed? {
    var values: [Mixed] = []
    while let tag = integer(UInt8.self) {
      if tag == MixedCoding.Tag.end { return .list(values) }
      guard let value = value(tag: tag) else { return nil }
      values.append(value)
    }
    return nil
  }

  private mutating func dictionary() -> Mixed? {
    var entries: [Mixed.Entry] = []
    while let tag = integer(UInt8.self) {
      if tag == MixedCoding.Tag.end { return .dictionary(entries) }
      guard tag == MixedCoding.Tag.string, let key = text(), let value = value() else { return nil }
      entries.append(Mixed.Entry(key: key, value: value))
    }
    return nil
  }

  private mutating func text() -> String? {
    piece().flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func piece() -> Slice<UnsafeBufferPointer<UInt8>>? {
    guard let count = integer(UInt32.self), bytes.count - offset >= Int(count) else { return nil }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  private mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
    let size = MemoryLayout<Integer>.size
    guard bytes.count - offset >= size else { return nil }
    defer { offset += size }
    return Integer(
      littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: Integer.self))
  }
}
