import Glibc

extension Decimal128 {
  public init(_ integer: Int64) {
    self.init(isNegative: integer < 0, coefficient: UInt128(integer.magnitude), exponent: 0)
  }

  /// The decimal with the fewest digits that gives the double back.
  public init(_ double: Double) {
    var text = double.description
    self = text.withUTF8 { Decimal128(text: $0) }?.withoutTrailingZeros ?? .nan
  }

  /// The double with 34 of its digits: the decimal 0.1 is not the double 0.1.
  public init(exactly double: Double) {
    self = double.isFinite ? Self.printed(double, digits: 34) : Decimal128(double)
  }

  /// The double rounded to 15 significant digits, which is how Realm compares and calculates with the two types;
  /// half goes to even.
  public init(rounding double: Double) {
    self = Self.rounded(double, digits: 15)
  }

  /// The float32 rounded to 7 significant digits, which is how Realm compares and calculates with the two types;
  /// half goes to even.
  public init(rounding float: Float) {
    self = Self.rounded(Double(float), digits: 7)
  }

  /// Rounds the shortest digits that give the double back. That is rounding the double itself, unless they end
  /// exactly at a half: any other half between the two would have been as short, and nearer.
  private static func rounded(_ double: Double, digits: Int) -> Decimal128 {
    let shortest = Decimal128(double)
    guard case .finite(let isNegative, let coefficient, let exponent) = shortest.parts else {
      return shortest
    }
    let excess = countDigits(coefficient) - digits
    if excess <= 0 { return shortest }
    let unit = powersOfTen[excess]
    let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: unit)
    if rest * 2 == unit { return printed(double, digits: digits) }
    let isUp = rest * 2 > unit
    return Decimal128(
      isNegative: isNegative, coefficient: quotient + (isUp ? 1 : 0), exponent: exponent + excess
    ).withoutTrailingZeros
  }

  /// Rounds the exact value of the double: `snprintf` is correct to all digits.
  private static func printed(_ double: Double, digits: Int) -> Decimal128 {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      let count = withVaList([Int32(digits - 1), double]) { arguments in
        vsnprintf(buffer.baseAddress, buffer.count, "%.*e", arguments)
      }
      return buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }
    }
    return text.withUnsafeBufferPointer { Decimal128(text: $0) }?.withoutTrailingZeros ?? .nan
  }

  /// The nearest double.
  public var double: Double {
    Double(description) ?? .nan
  }

  /// The same value without zeros behind the point or before the exponent.
  private var withoutTrailingZeros: Decimal128 {
    guard case .finite(let isNegative, var coefficient, var exponent) = parts else { return self }
    while exponent != 0, coefficient % 10 == 0, coefficient != 0 {
      (coefficient, exponent) = (coefficient / 10, exponent + 1)
    }
    if coefficient == 0 { exponent = 0 }
    return Decimal128(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }
}

extension Int64 {
  /// The integer that has the value of the decimal, or nil if there is none.
  public init?(exactly decimal: Decimal128) {
    guard case .finite(let isNegative, var coefficient, var exponent) = decimal.parts else { return nil }
    while exponent < 0, coefficient % 10 == 0, coefficient != 0 {
      (coefficient, exponent) = (coefficient / 10, exponent + 1)
    }
    guard coefficient != 0 else {
      self = 0
      return
    }
    guard 0...18 ~= exponent, coefficient < 1 << 64 else { return nil }
    let magnitude = Int128(coefficient) * Int128(Decimal128.powersOfTen[exponent])
    self.init(exactly: isNegative ? -magnitude : magnitude)
  }
}
