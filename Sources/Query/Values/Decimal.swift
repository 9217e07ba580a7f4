internal import BSON

/// A finite decimal number taken apart: ±coefficient · 10^exponent.
struct Decimal {
  var isNegative: Bool
  var coefficient: UInt128
  var exponent: Int

  private static let exponents = -6176...6111
  /// 10^0 to 10^38, all that fit 128 bits.
  static let powersOfTen: [UInt128] = (0...38).map { (0..<$0).reduce(1) { power, _ in power * 10 } }

  init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
    self.isNegative = isNegative
    self.coefficient = coefficient
    self.exponent = exponent
  }

  /// Nil for NaN and infinity.
  init?(_ value: Decimal128) {
    // The form whose combination field begins with 11 holds no canonical significand: zero.
    guard value.high >> 59 & 0xF != 0xF else { return nil }
    isNegative = value.high >> 63 == 1
    coefficient = UInt128(value.high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(value.low)
    exponent = Int(value.high >> 49 & 0x3FFF) - 6176
    if value.high >> 61 & 3 == 3 || coefficient >= Self.powersOfTen[34] {
      (coefficient, exponent) = (0, Int(value.high >> 47 & 0x3FFF) - 6176)
    }
  }

  /// The number, with at most 34 digits; beyond the range of exponents infinity or zero.
  var value: Decimal128 {
    var number = self
    while number.exponent > Self.exponents.upperBound, number.coefficient != 0,
      number.coefficient < Self.powersOfTen[33]
    {
      (number.coefficient, number.exponent) = (number.coefficient * 10, number.exponent - 1)
    }
    while number.exponent < Self.exponents.lowerBound, number.coefficient != 0 {
      (number.coefficient, number.exponent) = (number.coefficient / 10, number.exponent + 1)
    }
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    if number.coefficient != 0, number.exponent > Self.exponents.upperBound {
      return Decimal128(high: 0x7800_0000_0000_0000 | sign, low: 0)
    }
    let clamped = min(max(number.exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
    return Decimal128(
      high: sign | UInt64(clamped + 6176) << 49 | UInt64(truncatingIfNeeded: number.coefficient >> 64),
      low: UInt64(truncatingIfNeeded: number.coefficient))
  }

  var digits: Int {
    Self.powersOfTen.firstIndex { coefficient < $0 } ?? 39
  }
}

extension Decimal {
  static func + (left: Decimal, right: Decimal) -> Decimal {
    let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
    let shift = high.exponent - low.exponent
    // Further apart than this the smaller one is below half a unit of the last of 34 digits.
    if high.coefficient == 0 { return low }
    if low.coefficient == 0 || high.digits + shift > 72 { return high }
    let scaled = WideNumber(high.coefficient).multiplied(byPowerOfTen: shift)
    let other = WideNumber(low.coefficient)
    if high.isNegative == low.isNegative {
      return (scaled + other).rounded(isNegative: high.isNegative, exponent: low.exponent)
    }
    return scaled >= other
      ? (scaled - other).rounded(isNegative: high.isNegative, exponent: low.exponent)
      : (other - scaled).rounded(isNegative: low.isNegative, exponent: low.exponent)
  }

  static prefix func - (number: Decimal) -> Decimal {
    Decimal(isNegative: !number.isNegative, coefficient: number.coefficient, exponent: number.exponent)
  }

  static func * (left: Decimal, right: Decimal) -> Decimal {
    let product = left.coefficient.multipliedFullWidth(by: right.coefficient)
    return WideNumber(high: product.high, low: product.low).rounded(
      isNegative: left.isNegative != right.isNegative, exponent: left.exponent + right.exponent)
  }

  /// - Precondition: `right` is not zero.
  static func / (left: Decimal, right: Decimal) -> Decimal {
    let isNegative = left.isNegative != right.isNegative
    let exponent = left.exponent - right.exponent
    if left.coefficient == 0 { return Decimal(isNegative: isNegative, coefficient: 0, exponent: exponent) }
    let shift = 36 + right.digits - left.digits
    let scaled = WideNumber(left.coefficient).multiplied(byPowerOfTen: shift)
    let (quotient, remainder) = right.coefficient.dividingFullWidth((scaled.high, scaled.low))
    // An exact quotient sheds the zeros that the shift has brought.
    var result = Decimal(isNegative: isNegative, coefficient: quotient, exponent: exponent - shift)
    while remainder == 0, result.exponent < exponent, result.coefficient % 10 == 0 {
      (result.coefficient, result.exponent) = (result.coefficient / 10, result.exponent + 1)
    }
    return WideNumber(result.coefficient).rounded(isNegative: isNegative, exponent: result.exponent)
  }
}
