extension Decimal128 {
  /// The meaning of the bits: finite numbers are ±coefficient · 10^exponent.
  ///
  /// Source: IEEE 754-2008 §3.5.2, binary encoding of the significand.
  enum Parts {
    case finite(isNegative: Bool, coefficient: UInt128, exponent: Int)
    case infinity(isNegative: Bool)
    case nan
  }

  static let maximumDigits = 34
  /// 10^34 - 1.
  static let maximumCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999
  static let exponents = -6176...6111

  /// Quiet, positive, without payload: the only one that is made here.
  public static let nan = Decimal128(high: 0x7C00_0000_0000_0000, low: 0)
  public static let infinity = Decimal128(high: 0x7800_0000_0000_0000, low: 0)
  public static let zero = Decimal128(isNegative: false, coefficient: 0, exponent: 0)

  public var isNaN: Bool { high >> 58 & 0x1F == 0x1F }
  public var isInfinite: Bool { high >> 58 & 0x1F == 0x1E }
  public var isNegative: Bool { high >> 63 == 1 }

  var parts: Parts {
    if isNaN { return .nan }
    if isInfinite { return .infinity(isNegative: isNegative) }
    guard high >> 61 & 3 != 3 else {
      // The form for larger significands exceeds 34 digits whatever it holds; that stands for zero.
      return .finite(
        isNegative: isNegative, coefficient: 0, exponent: Int(high >> 47 & 0x3FFF) - 6176)
    }
    let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return .finite(
      isNegative: isNegative,
      coefficient: coefficient <= Self.maximumCoefficient ? coefficient : 0,
      exponent: Int(high >> 49 & 0x3FFF) - 6176)
  }

  /// - Precondition: the coefficient has at most 34 digits, and the exponent is in range.
  init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
    precondition(
      coefficient <= Self.maximumCoefficient && Self.exponents ~= exponent,
      "a number has been rounded to what fits: \(coefficient)e\(exponent)")
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    let biased = UInt64(exponent + 6176) << 49
    self.init(
      high: sign | biased | UInt64(truncatingIfNeeded: coefficient >> 64),
      low: UInt64(truncatingIfNeeded: coefficient))
  }

  static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(high: infinity.high | (isNegative ? 1 << 63 : 0), low: 0)
  }

  /// 10^0 to 10^38, all that fit 128 bits.
  static let powersOfTen: [UInt128] = (0...38).map { (0..<$0).reduce(1) { power, _ in power * 10 } }

  /// The number of decimal digits of a coefficient; zero has one.
  static func countDigits(_ coefficient: UInt128) -> Int {
    if coefficient == 0 { return 1 }
    // 1233/4096 is log10(2) closely enough for 128 bits.
    let estimate = ((128 - coefficient.leadingZeroBitCount) * 1233) >> 12
    return coefficient >= powersOfTen[estimate] ? estimate + 1 : estimate
  }
}
