/// Base 16, as RFC 4648 §8 has it, lower case on output.
enum Hexadecimal {
  /// The value of a digit of either case, or nil.
  @inline(__always)
  static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x61...0x66: digit &- 0x61 &+ 10
    case 0x41...0x46: digit &- 0x41 &+ 10
    default: nil
    }
  }

  @inline(__always)
  static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 0x30 &+ nibble : 0x61 &- 10 &+ nibble
  }

  /// The value of `count` digits from `start`, at most 16 of them, or nil.
  @inline(__always)
  static func word(_ text: UnsafeBufferPointer<UInt8>, from start: Int, count: Int) -> UInt64? {
    var word: UInt64 = 0
    for index in start..<start + count {
      guard let nibble = nibble(text[index]) else { return nil }
      word = word << 4 | UInt64(nibble)
    }
    return word
  }

  /// Appends the low `count` digits of `word`.
  @inline(__always)
  static func append(_ word: UInt64, count: Int, to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: count) { output in
      for index in stride(from: (count - 1) * 4, through: 0, by: -4) {
        output.append(digit(UInt8(truncatingIfNeeded: word >> UInt64(index)) & 0xF))
      }
    }
  }
}
