/// Finds the bytes that a JSON string cannot hold as they are.
enum StringScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Where a scan stopped, and whether all before that is ASCII.
  struct Stop {
    var position: Int
    var isASCII: Bool
  }

  /// Stops at the first quote, backslash or control character, or at `end`.
  ///
  /// Eight bytes at a time.
  @inline(__always)
  static func firstSpecial(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Stop {
    var index = start
    var seen: UInt64 = 0
    while index + 8 <= end {
      let word = word(bytes + index)
      let match = specials(word)
      if match != 0 {
        let before = (match & (0 &- match)) &- 1
        return Stop(
          position: index + match.trailingZeroBitCount >> 3, isASCII: (seen | word & before) & highBits == 0)
      }
      seen |= word
      index += 8
    }
    while index < end {
      let byte = bytes[index]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      seen |= UInt64(byte)
      index += 1
    }
    return Stop(position: index, isASCII: seen & highBits == 0)
  }

  /// Eight bytes, the first of them the lowest.
  @inline(__always)
  static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  /// How many of the eight bytes come before the first special one.
  @inline(__always)
  static func countBeforeSpecial(_ word: UInt64) -> Int {
    specials(word).trailingZeroBitCount >> 3
  }

  /// Zero where none of the eight bytes is special; else the lowest bit that is set is in the first one.
  ///
  /// The subtractions borrow only above a match, so the lowest match is exact.
  /// Source: Sean Eron Anderson, "Bit Twiddling Hacks", `haszero` and `hasless`.
  @inline(__always)
  private static func specials(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- ones &* 0x20) & ~word
    return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control) & highBits
  }
}
