/// Arithmetic of IEEE 754-2008: 34 digits, rounded half to even, exact results with the exponent that the
/// General Decimal Arithmetic specification calls ideal, infinity beyond the greatest number.
extension Decimal128 {
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan): .nan
    case (.infinity(let leftSign), .infinity(let rightSign)): leftSign == rightSign ? left : .nan
    case (.infinity, _): left
    case (_, .infinity): right
    case (
      .finite(let leftSign, let left, let leftExponent), .finite(let rightSign, let right, let rightExponent)
    ):
      if leftExponent >= rightExponent {
        sum(
          Finite(isNegative: leftSign, coefficient: left, exponent: leftExponent),
          Finite(isNegative: rightSign, coefficient: right, exponent: rightExponent))
      } else {
        sum(
          Finite(isNegative: rightSign, coefficient: right, exponent: rightExponent),
          Finite(isNegative: leftSign, coefficient: left, exponent: leftExponent))
      }
    }
  }

  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    left + -right
  }

  public static prefix func - (value: Decimal128) -> Decimal128 {
    value.isNaN ? .nan : Decimal128(high: value.high ^ 1 << 63, low: value.low)
  }

  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan): .nan
    case (.infinity, _), (_, .infinity):
      left.isZero || right.isZero ? .nan : .infinity(isNegative: left.isNegative != right.isNegative)
    case (
      .finite(let leftSign, let left, let leftExponent), .finite(let rightSign, let right, let rightExponent)
    ):
      rounded(
        WideCoefficient(left, times: right), isNegative: leftSign != rightSign,
        exponent: leftExponent + rightExponent)
    }
  }

  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    let isNegative = left.isNegative != right.isNegative
    return switch (left.parts, right.parts) {
    case (.nan, _), (_, .nan), (.infinity, .infinity): .nan
    case (.infinity, _): .infinity(isNegative: isNegative)
    case (_, .infinity):
      Decimal128(isNegative: isNegative, coefficient: 0, exponent: exponents.lowerBound)
    case (.finite(_, let left, let leftExponent), .finite(_, let right, let rightExponent)):
      if right == 0 {
        left == 0 ? .nan : .infinity(isNegative: isNegative)
      } else {
        quotient(left, by: right, isNegative: isNegative, idealExponent: leftExponent - rightExponent)
      }
    }
  }

  /// A finite number: ±coefficient · 10^exponent.
  private struct Finite {
    let isNegative: Bool
    let coefficient: UInt128
    let exponent: Int
  }

  private var isZero: Bool {
    if case .finite(_, 0, _) = parts { true } else { false }
  }

  /// - Precondition: the exponent of `left` is not less than that of `right`.
  private static func sum(
    _ left: Finite, _ right: Finite
  ) -> Decimal128 {
    if left.coefficient == 0 {
      let isNegative = right.isNegative && (left.isNegative || right.coefficient != 0)
      return rounded(WideCoefficient(right.coefficient), isNegative: isNegative, exponent: right.exponent)
    }
    let distance = left.exponent - right.exponent
    precondition(distance >= 0, "the number of the greater exponent comes first")
    let shift = min(distance, powersOfTen.count - 1)
    let leftScaled = WideCoefficient(left.coefficient, times: powersOfTen[shift])
    var rightScaled = WideCoefficient(right.coefficient)
    // Digits so far right of 34 digits matter only by being there.
    let isInexact = rightScaled.shiftRight(digits: distance - shift)
    let exponent = left.exponent - shift
    if left.isNegative == right.isNegative {
      return rounded(
        leftScaled + rightScaled, isNegative: left.isNegative, exponent: exponent, isInexact: isInexact)
    }
    if isInexact { rightScaled = rightScaled + WideCoefficient(1) }
    if leftScaled == rightScaled { return rounded(WideCoefficient(0), isNegative: false, exponent: exponent) }
    let isLess = leftScaled < rightScaled
    return rounded(
      isLess ? rightScaled - leftScaled : leftScaled - rightScaled,
      isNegative: isLess ? right.isNegative : left.isNegative, exponent: exponent, isInexact: isInexact)
  }

  private static func quotient(
    _ left: UInt128, by right: UInt128, isNegative: Bool, idealExponent: Int
  ) -> Decimal128 {
    if left == 0 { return rounded(WideCoefficient(0), isNegative: isNegative, exponent: idealExponent) }
    // One digit more than can be kept, and the remainder says whether anything follows.
    let shift = countDigits(right) - countDigits(left) + maximumDigits + 1
    let first = min(shift, powersOfTen.count - 1)
    let dividend = WideCoefficient(left, times: powersOfTen[first]).multiplied(by: powersOfTen[shift - first])
    var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: right)
    var exponent = idealExponent - shift
    while remainder == 0, exponent < idealExponent {
      let (shorter, digit) = quotient.quotientAndRemainder(dividingBy: 10)
      if digit != 0 { break }
      (quotient, exponent) = (shorter, exponent + 1)
    }
    return rounded(quotient, isNegative: isNegative, exponent: exponent, isInexact: remainder != 0)
  }

  /// Rounds half to even to what a Decimal128 can hold.
  ///
  /// - Parameter isInexact: whether more follows behind the last digit.
  static func rounded(
    _ wide: WideCoefficient, isNegative: Bool, exponent: Int, isInexact: Bool = false
  ) -> Decimal128 {
    var (wide, exponent) = (wide, exponent)
    let excess = max(wide.countOfDigits - maximumDigits, exponents.lowerBound - exponent, 0)
    if excess > 0 {
      let isBelow = wide.shiftRight(digits: excess - 1) || isInexact
      let (quotient, digit) = wide.quotientAndRemainder(dividingBy: 10)
      let isUp = digit > 5 || digit == 5 && (isBelow || quotient.isOdd)
      wide = isUp ? quotient + WideCoefficient(1) : quotient
      exponent += excess
    }
    precondition(wide.high == 0, "a rounded coefficient has 34 digits")
    return fitted(wide.low, isNegative: isNegative, exponent: exponent)
  }

  /// - Precondition: the coefficient is at most 10^34, the exponent not too small.
  private static func fitted(_ coefficient: UInt128, isNegative: Bool, exponent: Int) -> Decimal128 {
    var (coefficient, exponent) = (coefficient, exponent)
    if coefficient > maximumCoefficient { (coefficient, exponent) = (coefficient / 10, exponent + 1) }
    if coefficient == 0 { exponent = min(exponent, exponents.upperBound) }
    while exponent > exponents.upperBound {
      guard coefficient <= maximumCoefficient / 10 else { return .infinity(isNegative: isNegative) }
      (coefficient, exponent) = (coefficient * 10, exponent - 1)
    }
    return Decimal128(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }
}
