extension Decimal128 {
  /// A whole number, exactly.
  public init(_ int: Int64) {
    self.init(isNegative: int < 0, coefficient: UInt128(int.magnitude), exponent: 0)
  }

  /// Compares by value: negative where `left` is less, positive where it is greater, else zero.
  ///
  /// `1.0` and `1.00` are equal, and so are 0 and -0. NaN equals NaN and is less than everything else, as
  /// Realm has it.
  public static func compare(_ left: Decimal128, _ right: Decimal128) -> Int {
    switch (left.parts, right.parts) {
    case (.nan, .nan): 0
    case (.nan, _): -1
    case (_, .nan): 1
    case (let left, let right):
      left.sign != right.sign ? left.sign - right.sign : left.sign * compareMagnitudes(left, right)
    }
  }

  /// - Precondition: both are numbers other than zero.
  private static func compareMagnitudes(_ left: Parts, _ right: Parts) -> Int {
    switch (left, right) {
    case (.finite(_, let left, let leftExponent), .finite(_, let right, let rightExponent)):
      let order = countDigits(left) + leftExponent - (countDigits(right) + rightExponent)
      if order != 0 { return order }
      // The leading digits stand for the same power of ten, so that the exponents differ by 33 at most.
      let shift = leftExponent - rightExponent
      let aligned = (
        left * powersOfTen[Swift.max(shift, 0)], right * powersOfTen[Swift.max(-shift, 0)]
      )
      return aligned.0 == aligned.1 ? 0 : aligned.0 < aligned.1 ? -1 : 1
    case (.finite, _): return -1
    case (_, .finite): return 1
    default: return 0
    }
  }
}

extension Decimal128.Parts {
  /// -1, 0 or 1; NaN has none.
  fileprivate var sign: Int {
    switch self {
    case .finite(_, coefficient: 0, _), .nan: 0
    case .finite(let isNegative, _, _), .infinity(let isNegative): isNegative ? -1 : 1
    }
  }
}
