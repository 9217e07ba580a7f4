internal import GatehouseBSON

extension Decimal128: ExpressibleByIntegerLiteral {
  /// Creates a number from a literal.
  public convenience init(integerLiteral value: Int64) { self.init(number: value) }
}

extension Decimal128: ExpressibleByFloatLiteral {
  /// Creates the number with the fewest digits that gives the Double of a literal back.
  public convenience init(floatLiteral value: Double) { self.init(number: value) }
}

extension Decimal128: ExpressibleByStringLiteral {
  /// Creates a number from the text of a literal; a NaN where it is none.
  public convenience init(stringLiteral value: String) { self.init(value: value) }
}

/// Arithmetic of IEEE 754-2008: 34 digits, half to even, infinity beyond the greatest number.
extension Decimal128: Numeric {
  /// The type of absolute values.
  public typealias Magnitude = Decimal128

  /// Creates the number nearest to an integer.
  public convenience init?<T>(exactly source: T) where T: BinaryInteger { self.init(number: source) }

  /// The number without its sign.
  public var magnitude: Magnitude { stored.isNegative ? Decimal128(-stored) : self }

  /// Returns the sum.
  public static func + (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
    Decimal128(lhs.stored + rhs.stored)
  }

  /// Returns the difference.
  public static func - (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
    Decimal128(lhs.stored - rhs.stored)
  }

  /// Returns the product.
  public static func * (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
    Decimal128(lhs.stored * rhs.stored)
  }

  /// Multiplies the first by the second.
  public static func *= (lhs: inout Decimal128, rhs: Decimal128) { lhs = lhs * rhs }

  /// Returns the quotient; infinity or NaN where the divisor is zero.
  public static func / (lhs: Decimal128, rhs: Decimal128) -> Decimal128 {
    Decimal128(lhs.stored / rhs.stored)
  }

  /// Returns the number with the other sign.
  public static prefix func - (value: Decimal128) -> Decimal128 { Decimal128(-value.stored) }
}

extension Decimal128 {
  /// The type of distances.
  public typealias Stride = Decimal128

  /// Returns how much the other number is greater.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }

  /// Returns the number that is so much greater.
  public func advanced(by n: Decimal128) -> Decimal128 { self + n }
}
