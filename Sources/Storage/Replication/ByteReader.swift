/// Reads numbers from bytes that may end anywhere.
struct ByteReader {
  enum Number {
    case value(UInt64)
    /// The bytes end before the number does.
    case incomplete
    /// No number is as long as that, or it has more bytes than it needs.
    case malformed
  }

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns a varint (``TransactionPart``), and goes on behind it.
  func varint(at position: inout Int) -> Number {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var index = position
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if shift == 63, byte > 1 { return .malformed }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        if byte == 0, shift > 0 { return .malformed }
        position = index
        return .value(value)
      }
      shift += 7
      if shift > 63 { return .malformed }
    }
    return .incomplete
  }
}

extension Int64 {
  /// The number as one without sign that is small where this is near 0: 0, -1, 1, -2, … are 0, 1, 2, 3, ….
  var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }

  init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}
