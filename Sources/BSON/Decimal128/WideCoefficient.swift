/// An unsigned integer of 256 bits: room for the product of two coefficients.
struct WideCoefficient: Equatable {
  private(set) var high: UInt128
  private(set) var low: UInt128

  init(_ value: UInt128) {
    (high, low) = (0, value)
  }

  init(_ left: UInt128, times right: UInt128) {
    (high, low) = left.multipliedFullWidth(by: right)
  }

  private init(high: UInt128, low: UInt128) {
    (self.high, self.low) = (high, low)
  }

  var isOdd: Bool { low & 1 == 1 }

  var countOfDigits: Int {
    if high == 0 { return Decimal128.countDigits(low) }
    let (quotient, _) = quotientAndRemainder(dividingBy: Decimal128.powersOfTen[38])
    return 38 + quotient.countOfDigits
  }

  /// - Precondition: the product fits.
  func multiplied(by factor: UInt128) -> WideCoefficient {
    let product = WideCoefficient(low, times: factor)
    return WideCoefficient(high: product.high + high * factor, low: product.low)
  }

  func quotientAndRemainder(dividingBy divisor: UInt128) -> (quotient: WideCoefficient, remainder: UInt128) {
    let (first, rest) = high.quotientAndRemainder(dividingBy: divisor)
    let (second, remainder) = divisor.dividingFullWidth((rest, low))
    return (WideCoefficient(high: first, low: second), remainder)
  }

  /// Drops decimal digits, and says whether one of them was not zero.
  mutating func shiftRight(digits: Int) -> Bool {
    precondition(digits >= 0, "a shift to the right is none to the left: \(digits)")
    var (left, isInexact) = (digits, false)
    while left > 0, self != WideCoefficient(0) {
      let step = min(left, Decimal128.powersOfTen.count - 1)
      let (quotient, remainder) = quotientAndRemainder(dividingBy: Decimal128.powersOfTen[step])
      self = quotient
      isInexact = isInexact || remainder != 0
      left -= step
    }
    return isInexact
  }

  static func + (left: WideCoefficient, right: WideCoefficient) -> WideCoefficient {
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    return WideCoefficient(high: left.high + right.high + (carry ? 1 : 0), low: low)
  }

  /// - Precondition: `right` is not greater.
  static func - (left: WideCoefficient, right: WideCoefficient) -> WideCoefficient {
    let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
    return WideCoefficient(high: left.high - right.high - (borrow ? 1 : 0), low: low)
  }

  static func < (left: WideCoefficient, right: WideCoefficient) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
