/// The eight decimal digits of a number below 10^8, all at once: no step waits for the division before it.
///
/// The number is cut into halves, these into pairs, these into digits, each beside the other in one word. A division
/// by a constant is a multiplication that is exact for what the parts can be: by 100 below 10,000, by 10 below 100.
struct EightDigits {
  /// As ASCII, the first digit in the lowest byte.
  let characters: UInt64
  /// How many zeros come before the first digit that counts; the last one always does.
  let zeros: Int

  /// - Precondition: `number` is below 10^8.
  init(_ number: UInt64) {
    let halves = number / 10_000 | (number % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x7F_0000_007F
    let pairs = hundreds | (halves &- 100 &* hundreds) << 16
    let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
    let digits = tens | (pairs &- 10 &* tens) << 8
    characters = digits | 0x3030_3030_3030_3030
    zeros = min(digits.trailingZeroBitCount / 8, 7)
  }

  /// How many zeros come behind the last digit that is none; eight where all are.
  var trailingZeros: Int { (characters ^ 0x3030_3030_3030_3030).leadingZeroBitCount / 8 }
}
