/// The 16 hexadecimal digits of a number, as they stand in memory.
struct HexadecimalDigits {
  private let high: UInt64
  private let low: UInt64

  init(_ number: UInt64) {
    high = Self.digits(UInt32(truncatingIfNeeded: number >> 32))
    low = Self.digits(UInt32(truncatingIfNeeded: number))
  }

  /// Eight digits at once: a nibble is spread to each byte, and those above 9 go on to the letters.
  private static func digits(_ number: UInt32) -> UInt64 {
    var nibbles = UInt64(number)
    nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff
    nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
    nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return (nibbles + 0x3030_3030_3030_3030 + letters * 0x27).bigEndian
  }
}
