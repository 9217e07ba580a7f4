import GatehouseBSON
import GatehouseModel

extension Mixed {
  /// Whether the values are one primary key: numbers are where they are equal, whatever their types.
  func isSameKey(as other: Mixed) -> Bool { self == other || sortKey == other.sortKey }
}

/// Bytes whose order is that of mixed values (``MixedOrder/sortOrder(_:_:)``), so that SQLite can sort and group by them.
///
/// A byte for the rank of the type, then the value. A number is its sign, the exponent of its first digit, and
/// its digits, all complemented for negative ones; so types of numbers mix.
enum MixedSortKey {
  static func append(_ value: Mixed, to bytes: inout [UInt8]) {
    bytes.append(UInt8(value.rank.rawValue))
    switch value {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int(let value): append(number: String(value), to: &bytes)
    case .float(let value): append(Double(value), to: &bytes)
    case .double(let value): append(value, to: &bytes)
    case .decimal128(let value): append(number: value.description, to: &bytes)
    case .string(let value): append(Array(value.utf8), to: &bytes)
    case .data(let value): append(value, to: &bytes)
    case .date(let value):
      append(bigEndian: UInt64(bitPattern: value.seconds) ^ 1 << 63, to: &bytes)
      append(bigEndian: UInt32(value.nanoseconds), to: &bytes)
    case .objectID(let value):
      append(bigEndian: value.high, to: &bytes)
      append(bigEndian: value.low, to: &bytes)
    case .uuid(let value):
      append(bigEndian: value.high, to: &bytes)
      append(bigEndian: value.low, to: &bytes)
    case .link(let link):
      append(Array(link.objectType.utf8), to: &bytes)
      append(bigEndian: UInt64(bitPattern: link.key.value), to: &bytes)
    case .list(let values):
      for value in values {
        bytes.append(1)
        append(value, to: &bytes)
      }
      bytes.append(0)
    case .dictionary(let entries):
      for entry in entries {
        bytes.append(1)
        append(Array(entry.key.utf8), to: &bytes)
        append(entry.value, to: &bytes)
      }
      bytes.append(0)
    }
  }

  /// Ends with 0, which no string of bytes contains once each 0 in it has 1 behind it.
  private static func append(_ value: [UInt8], to bytes: inout [UInt8]) {
    for byte in value {
      bytes.append(byte)
      if byte == 0 { bytes.append(1) }
    }
    bytes += [0, 0]
  }

  private static func append<Number: FixedWidthInteger>(bigEndian value: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ double: Double, to bytes: inout [UInt8]) {
    if let integer = Int64(exactly: double) { return append(number: String(integer), to: &bytes) }
    append(number: Decimal128(exactly: double).description, to: &bytes)
  }

  /// NaN is 0, negative numbers are 1, zero is 2, positive ones 3; infinity has the largest exponent.
  private static func append(number text: String, to bytes: inout [UInt8]) {
    let lower = text.lowercased()
    if lower == "nan" { return bytes.append(0) }
    let isNegative = lower.utf8.first == UInt8(ascii: "-")
    if lower.contains("inf") {
      bytes += isNegative ? [1, 0, 0] : [3, 0xFF, 0xFF]
      return
    }
    var (digits, exponent) = parts(of: lower)
    while digits.first == 0 { (digits, exponent) = (Array(digits.dropFirst()), exponent - 1) }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { return bytes.append(2) }
    let mask: UInt8 = isNegative ? 0xFF : 0
    bytes.append(isNegative ? 1 : 3)
    let biased = UInt16(exponent + 0x4000)
    bytes += [UInt8(biased >> 8) ^ mask, UInt8(biased & 0xFF) ^ mask]
    for digit in digits { bytes.append(digit + 1 ^ mask) }
    bytes.append(mask)
  }

  /// The digits, and the power of ten of the first one.
  private static func parts(of text: String) -> (digits: [UInt8], exponent: Int) {
    var digits: [UInt8] = []
    var exponent = 0
    var isFraction = false
    let pieces = text.utf8.split(separator: UInt8(ascii: "e"), maxSplits: 1)
    for byte in pieces.first ?? ""[...].utf8 {
      if byte == UInt8(ascii: ".") { isFraction = true }
      guard byte &- 0x30 < 10 else { continue }
      digits.append(byte - 0x30)
      if !isFraction { exponent += 1 }
    }
    let scale = pieces.count > 1 ? Int(String(decoding: pieces[1], as: UTF8.self)) ?? 0 : 0
    return (digits, exponent - 1 + scale)
  }
}
