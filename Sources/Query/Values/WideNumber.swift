/// A whole number of 256 bits: what two coefficients of 34 digits give before rounding.
struct WideNumber {
  var high: UInt128
  var low: UInt128

  init(high: UInt128 = 0, low: UInt128) {
    self.high = high
    self.low = low
  }

  init(_ number: UInt128) {
    self.init(low: number)
  }

  /// - Precondition: the product fits.
  func multiplied(byPowerOfTen power: Int) -> WideNumber {
    var result = self
    var rest = power
    while rest > 0 {
      let step = min(rest, 38)
      let factor = Decimal.powersOfTen[step]
      let product = result.low.multipliedFullWidth(by: factor)
      result = WideNumber(high: product.high + result.high * factor, low: product.low)
      rest -= step
    }
    return result
  }

  static func + (left: WideNumber, right: WideNumber) -> WideNumber {
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    return WideNumber(high: left.high + right.high + (carry ? 1 : 0), low: low)
  }

  static func - (left: WideNumber, right: WideNumber) -> WideNumber {
    let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
    return WideNumber(high: left.high - right.high - (borrow ? 1 : 0), low: low)
  }

  static func >= (left: WideNumber, right: WideNumber) -> Bool {
    (left.high, left.low) >= (right.high, right.low)
  }

  private func dividedByTen() -> (quotient: WideNumber, remainder: UInt128) {
    let (quotientHigh, remainderHigh) = high.quotientAndRemainder(dividingBy: 10)
    let (quotientLow, remainder) = UInt128(10).dividingFullWidth((remainderHigh, low))
    return (WideNumber(high: quotientHigh, low: quotientLow), remainder)
  }

  /// The nearest number of at most 34 digits, the even one of two.
  func rounded(isNegative: Bool, exponent: Int) -> Decimal {
    var (number, exponent, last, isInexact) = (self, exponent, UInt128(0), false)
    while number.high > 0 || number.low >= Decimal.powersOfTen[34] {
      isInexact = isInexact || last != 0
      (number, last) = number.dividedByTen()
      exponent += 1
    }
    let isUp = last > 5 || last == 5 && (isInexact || number.low & 1 == 1)
    if isUp { number.low += 1 }
    return Decimal(isNegative: isNegative, coefficient: number.low, exponent: exponent)
  }
}
