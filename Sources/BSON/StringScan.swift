/// Finds the bytes that a JSON string cannot hold as they are.
enum StringScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The position of the first quote, backslash or control character, or `end`.
  ///
  /// Eight bytes at a time. The subtractions borrow only above a match, so the lowest match is exact.
  /// Source: Sean Eron Anderson, "Bit Twiddling Hacks", `haszero` and `hasless`.
  @inline(__always)
  static func firstSpecial(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index + 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let control = (word &- ones &* 0x20) & ~word
      let match =
        (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control) & highBits
      if match != 0 { return index + match.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < end {
      let byte = bytes[index]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { return index }
      index += 1
    }
    return end
  }
}
