import GatehouseBSON
import Glibc

/// A number in arithmetic: the result has the widest type of those that take part, in the order of the cases.
enum Number {
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case decimal(Decimal128)

  init?(_ value: Value) {
    switch value {
    case .int32(let int): self = .int32(int)
    case .int64(let int): self = .int64(int)
    case .double(let double): self = .double(double)
    case .decimal128(let decimal): self = .decimal(decimal)
    default: return nil
    }
  }

  var value: Value {
    switch self {
    case .int32(let int): .int32(int)
    case .int64(let int): .int64(int)
    case .double(let double): .double(double)
    case .decimal(let decimal): .decimal128(decimal)
    }
  }

  var double: Double { value.asDouble ?? .nan }

  /// A double counts with 15 digits, as in MongoDB's arithmetic.
  var decimal: Decimal128 {
    switch self {
    case .int32(let int): Decimal128(Int64(int))
    case .int64(let int): Decimal128(int)
    case .double(let double): Decimal128(rounding: double)
    case .decimal(let decimal): decimal
    }
  }

  var integer: Int64? {
    switch self {
    case .int32(let int): Int64(int)
    case .int64(let int): int
    case .double, .decimal: nil
    }
  }

  private var isDecimal: Bool { if case .decimal = self { true } else { false } }
  private var isInt32: Bool { if case .int32 = self { true } else { false } }

  /// The sum. Ints that exceed 32 bits become longs, and longs that exceed 64 doubles.
  static func + (left: Number, right: Number) -> Number {
    combine(
      left, right, integers: { $0.addingReportingOverflow($1) }, doubles: { $0 + $1 }, decimals: { $0 + $1 })
  }

  static func - (left: Number, right: Number) -> Number {
    combine(
      left, right, integers: { $0.subtractingReportingOverflow($1) }, doubles: { $0 - $1 },
      decimals: { $0 - $1 })
  }

  static func * (left: Number, right: Number) -> Number {
    combine(
      left, right, integers: { $0.multipliedReportingOverflow(by: $1) }, doubles: { $0 * $1 },
      decimals: { $0 * $1 })
  }

  private static func combine(
    _ left: Number, _ right: Number, integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    doubles: (Double, Double) -> Double, decimals: (Decimal128, Decimal128) -> Decimal128
  ) -> Number {
    if left.isDecimal || right.isDecimal { return .decimal(decimals(left.decimal, right.decimal)) }
    guard let first = left.integer, let second = right.integer else {
      return .double(doubles(left.double, right.double))
    }
    let (result, overflow) = integers(first, second)
    if overflow { return .double(doubles(Double(first), Double(second))) }
    if left.isInt32, right.isInt32, let small = Int32(exactly: result) { return .int32(small) }
    return .int64(result)
  }

  /// The quotient, which is a double, or a decimal where one takes part; nil where the divisor is zero.
  static func / (left: Number, right: Number) -> Number? {
    if left.isDecimal || right.isDecimal {
      return Decimal128.compare(right.decimal, .zero) == 0 ? nil : .decimal(left.decimal / right.decimal)
    }
    return right.double == 0 ? nil : .double(left.double / right.double)
  }

  /// The remainder with the sign of the dividend; nil where the divisor is zero.
  static func % (left: Number, right: Number) -> Number? {
    if left.isDecimal || right.isDecimal {
      let (dividend, divisor) = (left.decimal, right.decimal)
      if Decimal128.compare(divisor, .zero) == 0 { return nil }
      if dividend.isNaN || divisor.isNaN || dividend.isInfinite { return .decimal(.nan) }
      if divisor.isInfinite { return .decimal(dividend) }
      return .decimal(dividend.remainder(dividingBy: divisor))
    }
    guard let first = left.integer, let second = right.integer else {
      return right.double == 0 ? nil : .double(fmod(left.double, right.double))
    }
    if second == 0 { return nil }
    let remainder = second == -1 ? 0 : first % second
    if left.isInt32, right.isInt32 { return .int32(Int32(truncatingIfNeeded: remainder)) }
    return .int64(remainder)
  }
}

extension Decimal128 {
  /// The remainder with the sign of the dividend, as far as the quotient has 34 digits.
  fileprivate func remainder(dividingBy divisor: Decimal128) -> Decimal128 {
    self - (self / divisor).rounded(.towardZero, places: 0) * divisor
  }

  /// The number with so many digits behind the point, or, where negative, zeros before it.
  func rounded(_ rule: FloatingPointRoundingRule, places: Int) -> Decimal128 {
    if isNaN || isInfinite { return self }
    let (digits, exponent, isNegative) = decomposed
    let excess = -places - exponent
    if excess <= 0 { return self }
    if excess > digits.count {
      let isUp = rule == .up && !isNegative || rule == .down && isNegative
      let isZero = digits.allSatisfy { $0 == 0x30 }
      return Decimal128("\(isNegative ? "-" : "")\(isUp && !isZero ? 1 : 0)E\(-places)") ?? .nan
    }
    let kept = digits.dropLast(excess)
    let dropped = digits.suffix(excess)
    var number = kept.reduce(0 as UInt128) { $0 * 10 + UInt128($1 - 0x30) }
    let isInexact = dropped.contains { $0 != 0x30 }
    let first = dropped.first ?? 0x30
    let isHalf = first == 0x35 && dropped.dropFirst().allSatisfy { $0 == 0x30 }
    let isUp =
      switch rule {
      case .up: isInexact && !isNegative
      case .down: isInexact && isNegative
      case .awayFromZero: isInexact
      case .toNearestOrEven: isHalf ? number & 1 == 1 : first >= 0x35
      case .toNearestOrAwayFromZero: first >= 0x35
      default: false
      }
    if isUp { number += 1 }
    return Decimal128("\(isNegative ? "-" : "")\(number)E\(-places)") ?? .nan
  }

  /// The digits and the exponent, from the text.
  private var decomposed: (digits: [UInt8], exponent: Int, isNegative: Bool) {
    let text = description
    let parts = text.split(separator: "E")
    var exponent = parts.count > 1 ? Int(parts[1].drop { $0 == "+" }) ?? 0 : 0
    var digits: [UInt8] = []
    var isFraction = false
    for byte in parts[0].utf8 {
      if byte == UInt8(ascii: ".") {
        isFraction = true
      } else if byte &- 0x30 < 10 {
        digits.append(byte)
        if isFraction { exponent -= 1 }
      }
    }
    return (digits, exponent, isNegative)
  }
}
