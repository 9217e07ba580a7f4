import BSON

extension Decimal128 {
  /// The decimal number of so many digits, 15 at most, that is nearest to a double; half goes to even.
  init(_ double: Double, significantDigits: Int) {
    let text = Self.rounded(double, to: significantDigits)
    self = text.flatMap { Decimal128($0) } ?? .nan
  }

  /// Works on the shortest digits that give the double back. Rounding those is rounding the double itself,
  /// unless they end exactly at a half: any other half between the two would have been as short, and nearer.
  /// Subnormal doubles hold fewer than 15 digits, and keep their shortest.
  private static func rounded(_ double: Double, to limit: Int) -> String? {
    if !double.isFinite { return double.isNaN ? nil : double < 0 ? "-Infinity" : "Infinity" }
    guard let (digits, exponent) = shortestDigits(of: double.magnitude) else { return nil }
    let sign = double.sign == .minus ? "-" : ""
    let surplus = "\(digits)".utf8.count - limit
    if surplus <= 0 { return "\(sign)\(digits)E\(exponent)" }
    let unit = (0..<surplus).reduce(UInt64(1)) { unit, _ in unit * 10 }
    let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: unit)
    var order = MixedOrder.order(remainder * 2, unit)
    if order == 0 { order = compare(double.magnitude, digits, exponent) }
    let isUp = order > 0 || order == 0 && quotient % 2 == 1
    return "\(sign)\(quotient + (isUp ? 1 : 0))E\(exponent + surplus)"
  }

  /// `digits` · 10^`exponent`, taken from a description such as `1.25e-07`.
  private static func shortestDigits(of double: Double) -> (digits: UInt64, exponent: Int)? {
    var (digits, exponent, isFraction) = (UInt64(0), 0, false)
    // At most 18 digits: below 2^54 with `.0` behind, beyond with an exponent.
    let parts = double.description.utf8.split(separator: UInt8(ascii: "e"))
    for byte in parts[0] {
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
      if isFraction { exponent -= 1 }
    }
    if parts.count == 2 {
      guard let shift = Int(Substring(parts[1])) else { return nil }
      exponent += shift
    }
    while digits != 0 && digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return (digits, exponent)
  }

  /// Compares a double with `digits` · 10^`exponent`, exactly.
  private static func compare(_ double: Double, _ digits: UInt64, _ exponent: Int) -> Int {
    let significand = UInt64(double.significand * 0x1p52)
    let power = Int(double.exponent) - 52
    var left = BigInteger(significand)
    var right = BigInteger(digits)
    left.multiply(by: 2, times: max(power, 0))
    right.multiply(by: 2, times: max(-power, 0))
    right.multiply(by: 10, times: max(exponent, 0))
    left.multiply(by: 10, times: max(-exponent, 0))
    return left.compare(right)
  }
}

/// As many bits as it takes; only for the rare double that lies near the half of two decimals.
private struct BigInteger {
  /// Least significant first, the last one not zero.
  private var words: [UInt32]

  init(_ value: UInt64) {
    words = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
    if words[1] == 0 { words.removeLast() }
  }

  mutating func multiply(by factor: UInt32, times: Int) {
    for _ in 0..<times {
      var carry: UInt64 = 0
      for index in words.indices {
        let product = UInt64(words[index]) * UInt64(factor) + carry
        words[index] = UInt32(truncatingIfNeeded: product)
        carry = product >> 32
      }
      if carry != 0 { words.append(UInt32(carry)) }
    }
  }

  func compare(_ other: BigInteger) -> Int {
    if words.count != other.words.count { return words.count - other.words.count }
    for (left, right) in zip(words.reversed(), other.words.reversed()) where left != right {
      return left < right ? -1 : 1
    }
    return 0
  }
}
