import GatehouseSeeded
import Testing

@testable import GatehouseBSON

@Suite struct EightDigitsTests {
  /// The digits in their order, then the zeros before and behind them.
  private func described(_ number: UInt64) -> String {
    let digits = EightDigits(number)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: digits.characters >> ($0 * 8)) }
    return "\(String(decoding: bytes, as: UTF8.self)) \(digits.zeros) \(digits.trailingZeros)"
  }

  @Test(arguments: [
    (0, "00000000 7 8"), (1, "00000001 7 0"), (10, "00000010 6 1"), (9_999, "00009999 4 0"),
    (10_000, "00010000 3 4"), (12_345_678, "12345678 0 0"), (90_000_000, "90000000 0 7"),
    (99_999_999, "99999999 0 0"),
  ])
  func `a number is written in eight digits, with the zeros on both sides counted`(
    number: UInt64, expected: String
  ) {
    #expect(described(number) == expected)
  }

  @Test func `the digits are those of division, whatever the number`() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<20_000 {
      let number = UInt64.random(in: 0..<100_000_000, using: &generator)
      let text = String(repeating: "0", count: 8 - String(number).count) + String(number)
      guard described(number).hasPrefix(text) else { return #expect(Bool(false), "\(number)") }
    }
  }
}
