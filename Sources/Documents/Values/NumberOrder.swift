import GatehouseBSON

/// Numbers by their exact values, whatever their types. NaN equals itself and is below all other numbers.
enum NumberOrder {
  /// - Precondition: both are numbers.
  static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.int32(let left), .int32(let right)): return ValueOrder.order(left, right)
    case (.double(let left), .double(let right)): return compareDoubles(left, right)
    case (.decimal128(let left), .decimal128(let right)): return Decimal128.compare(left, right)
    case (.decimal128(let left), _): return compareDecimal(left, right)
    case (_, .decimal128(let right)): return -compareDecimal(right, left)
    case (.double(let left), _): return -compareInteger(integer(right), left)
    case (_, .double(let right)): return compareInteger(integer(left), right)
    default: return ValueOrder.order(integer(left), integer(right))
    }
  }

  private static func integer(_ value: Value) -> Int64 {
    switch value {
    case .int32(let int): Int64(int)
    case .int64(let int): int
    default: 0
    }
  }

  private static func compareDoubles(_ left: Double, _ right: Double) -> Int {
    if left.isNaN || right.isNaN { return ValueOrder.order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) }
    return ValueOrder.order(left, right)
  }

  /// Exactly, where a conversion to either type would round.
  private static func compareInteger(_ integer: Int64, _ double: Double) -> Int {
    if double.isNaN || double < -0x1p63 { return 1 }
    if double >= 0x1p63 { return -1 }
    let whole = Int64(double)
    return integer == whole ? compareDoubles(Double(whole), double) : ValueOrder.order(integer, whole)
  }

  /// A double counts with 34 of its digits: the decimal 0.1 is not the double 0.1.
  private static func compareDecimal(_ decimal: Decimal128, _ other: Value) -> Int {
    if case .double(let double) = other {
      let rough = compareDoubles(decimal.double, double)
      // A decimal beyond all doubles is rounded to an infinite one.
      if rough != 0 { return rough }
      return Decimal128.compare(decimal, Decimal128(exactly: double))
    }
    return Decimal128.compare(decimal, Decimal128(integer(other)))
  }
}
