/// Finds out where a text stops being UTF-8.
enum UTF8Scan {
  /// The offset of the first ill-formed sequence, or nil if there is none.
  ///
  /// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
  static func firstMalformed(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var index = 0
    while index < bytes.count {
      guard let length = lengthOfSequence(bytes, at: index) else { return index }
      index += length
    }
    return nil
  }

  private static func lengthOfSequence(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch bytes[index] {
      case 0x00...0x7F: (1, 0x80...0xBF)
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: (0, 0x80...0xBF)
      }
    guard length > 0, index + length <= bytes.count else { return nil }
    for offset in 1..<max(length, 1) {
      let range = offset == 1 ? second : 0x80...0xBF
      guard range ~= bytes[index + offset] else { return nil }
    }
    return length
  }
}
