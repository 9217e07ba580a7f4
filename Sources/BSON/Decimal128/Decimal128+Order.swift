extension Decimal128 {
  /// Compares by value, as Realm does: negative, zero or positive as `left` is less, equal or greater.
  ///
  /// `NaN` equals itself and is less than all else; zeros of either sign are equal.
  public static func compare(_ left: Decimal128, _ right: Decimal128) -> Int {
    switch (left.parts, right.parts) {
    case (.nan, .nan): 0
    case (.nan, _): -1
    case (_, .nan): 1
    case (.infinity, _), (_, .infinity): compare(left.rank, right.rank)
    case (
      .finite(let leftSign, let left, let leftExponent), .finite(let rightSign, let right, let rightExponent)
    ):
      if left == 0 || right == 0 || leftSign != rightSign {
        compare(sign(left, leftSign), sign(right, rightSign))
      } else {
        (leftSign ? -1 : 1)
          * compareMagnitudes(
            left: (coefficient: left, exponent: leftExponent),
            right: (coefficient: right, exponent: rightExponent))
      }
    }
  }

  /// Where infinities are among each other and the finite numbers.
  private var rank: Int {
    isInfinite ? (isNegative ? -1 : 1) : 0
  }

  private static func sign(_ coefficient: UInt128, _ isNegative: Bool) -> Int {
    coefficient == 0 ? 0 : isNegative ? -1 : 1
  }

  private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func compareMagnitudes(
    left: (coefficient: UInt128, exponent: Int), right: (coefficient: UInt128, exponent: Int)
  ) -> Int {
    let leftMagnitude = countDigits(left.coefficient) + left.exponent
    let rightMagnitude = countDigits(right.coefficient) + right.exponent
    if leftMagnitude != rightMagnitude { return compare(leftMagnitude, rightMagnitude) }
    // At equal magnitude, the one with the greater exponent has as many digits less, so this fits.
    let shift = left.exponent - right.exponent
    return compare(
      left.coefficient * powersOfTen[max(0, shift)], right.coefficient * powersOfTen[max(0, -shift)])
  }
}
