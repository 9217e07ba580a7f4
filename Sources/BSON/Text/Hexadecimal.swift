/// Base 16, as RFC 4648 §8 has it, lower case on output where nothing else is asked for.
public enum Hexadecimal {
  /// Returns two digits for each byte.
  public static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[index * 2] = digit(byte >> 4)
        text[index * 2 + 1] = digit(byte & 0xF)
      }
      return bytes.count * 2
    }
  }

  /// Reads the digits of ``text(of:)``; nil if the text is anything else, upper case included.
  public static func bytes(of text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[index]), digits[index] == digit(high),
        let low = nibble(digits[index + 1]), digits[index + 1] == digit(low)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value of a digit of either case; nil if it is none.
  @inline(__always)
  static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x61...0x66: digit &- 0x61 &+ 10
    case 0x41...0x46: digit &- 0x41 &+ 10
    default: nil
    }
  }

  /// The digit of a number below 16, in lower case or, as URLs have it (RFC 3986 §2.1), in upper case.
  @inlinable @inline(__always)
  public static func digit(_ nibble: UInt8, isUpperCase: Bool = false) -> UInt8 {
    nibble < 10 ? 0x30 &+ nibble : (isUpperCase ? 0x41 : 0x61) &- 10 &+ nibble
  }

  /// The value of `count` digits from `start`, at most 16 of them; nil if there are others.
  @inline(__always)
  public static func word(_ text: UnsafeBufferPointer<UInt8>, from start: Int, count: Int) -> UInt64? {
    precondition(
      start >= 0 && count <= 16 && start + count <= text.count, "a word of digits lies within its text")
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
