import GatehouseBSON
import Glibc

extension Number {
  /// Returns the number with so many digits behind the point, or, where negative, zeros before it. A whole number that would have more
  /// than 64 bits is 0.
  func rounded(_ rule: FloatingPointRoundingRule, places: Int) -> Number {
    switch self {
    case .int32(let int):
      let rounded = Self.rounded(Int64(int), rule, places: places)
      return Int32(exactly: rounded).map { .int32($0) } ?? .int64(rounded)
    case .int64(let int): return .int64(Self.rounded(int, rule, places: places))
    case .double(let double): return .double(Self.rounded(double, rule, places: places))
    case .decimal(let decimal): return .decimal(decimal.rounded(rule, places: places))
    }
  }

  private static func rounded(_ integer: Int64, _ rule: FloatingPointRoundingRule, places: Int) -> Int64 {
    if places >= 0 { return integer }
    return Int64(exactly: Decimal128(integer).rounded(rule, places: places)) ?? 0
  }

  /// By way of the exact decimal, so that 1.005 is what the double is.
  private static func rounded(_ double: Double, _ rule: FloatingPointRoundingRule, places: Int) -> Double {
    if !double.isFinite { return double }
    return places == 0
      ? double.rounded(rule) : Decimal128(exactly: double).rounded(rule, places: places).double
  }

  /// Returns the power: of whole numbers one where it has no more than 64 bits, else a double; a decimal where one takes part.
  func power(_ exponent: Number) -> Number {
    let result = pow(double, exponent.double)
    if case .decimal = self { return .decimal(Decimal128(rounding: result)) }
    if case .decimal = exponent { return .decimal(Decimal128(rounding: result)) }
    guard let first = integer, let second = exponent.integer, second >= 0,
      let power = Self.power(first, second)
    else { return .double(result) }
    if case .int32 = self, case .int32 = exponent, let small = Int32(exactly: power) { return .int32(small) }
    return .int64(power)
  }

  private static func power(_ base: Int64, _ exponent: Int64) -> Int64? {
    if base == 1 || exponent == 0 { return 1 }
    if base == 0 { return 0 }
    if base == -1 { return exponent & 1 == 0 ? 1 : -1 }
    if exponent > 63 { return nil }
    var result: Int64 = 1
    for _ in 0..<exponent {
      let (product, overflow) = result.multipliedReportingOverflow(by: base)
      if overflow { return nil }
      result = product
    }
    return result
  }
}
