internal import BSON

extension Decimal128 {
  init(integer: Int64) {
    self = Decimal(isNegative: integer < 0, coefficient: UInt128(integer.magnitude), exponent: 0).value
  }

  /// The number as far as its digits mean anything: 15 of a double, 7 of a float (realm-core,
  /// `decimal128.cpp`).
  init(double: Double, digits: Int = 15) {
    if double.isNaN {
      self = Decimal128.nan
    } else if double.isInfinite {
      self = Decimal128(high: Decimal128.infinity.high | (double < 0 ? 1 << 63 : 0), low: 0)
    } else {
      let exact = Decimal128(double.description).flatMap { Decimal($0) }
      self =
        (exact ?? Decimal(isNegative: false, coefficient: 0, exponent: 0)).rounded(toDigits: digits).value
    }
  }
}

extension Double {
  init(decimal: Decimal128) {
    self = Double(decimal.description) ?? .nan
  }
}

extension Decimal {
  /// The nearest number of so many digits, the even one of two, without zeros at its end.
  func rounded(toDigits count: Int) -> Decimal {
    var result = self
    let excess = digits - count
    if excess > 0 {
      let unit = Decimal.powersOfTen[excess]
      let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: unit)
      let isUp = rest > unit / 2 || rest == unit / 2 && quotient & 1 == 1
      result = Decimal(
        isNegative: isNegative, coefficient: quotient + (isUp ? 1 : 0), exponent: exponent + excess)
    }
    while result.coefficient != 0, result.coefficient % 10 == 0, result.exponent < 0 {
      (result.coefficient, result.exponent) = (result.coefficient / 10, result.exponent + 1)
    }
    return result
  }
}
