/// The digits of a decimal number while they are being read.
struct DecimalNumber {
  let isNegative: Bool
  private(set) var countOfDigits = 0
  /// The digits as a whole number, as far as that fits 64 bits.
  private var significand: UInt64 = 0
  private var isExact = true
  var exponent = 0

  init(isNegative: Bool) {
    self.isNegative = isNegative
  }

  @inline(__always)
  mutating func append(_ digit: UInt8) {
    countOfDigits += 1
    if significand < (UInt64.max - 9) / 10 {
      significand = significand &* 10 &+ UInt64(digit)
    } else {
      appendSlowly(digit)
    }
  }

  private mutating func appendSlowly(_ digit: UInt8) {
    let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    if overflow || carry || !isExact {
      isExact = false
      significand = .max
    } else {
      significand = sum
    }
  }

  /// The number without its exponent, or nil if it exceeds `Int64`.
  var integer: Int64? {
    guard isExact else { return nil }
    if !isNegative { return Int64(exactly: significand) }
    return significand <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- significand) : nil
  }

  /// The nearest double; infinite beyond the greatest.
  ///
  /// A significand below 2^53 and a power of ten up to 10^22 are exact doubles, so that one operation on them
  /// rounds correctly (Clinger, "How to Read Floating Point Numbers Accurately"). All else is the standard
  /// library's.
  func double(of text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard isExact, significand < 1 << 53, -22...22 ~= exponent else {
      return Double(String(decoding: text, as: UTF8.self))
    }
    let magnitude = Double(significand)
    let power = Self.powersOfTen[abs(exponent)]
    let double = exponent < 0 ? magnitude / power : magnitude * power
    return isNegative ? -double : double
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
