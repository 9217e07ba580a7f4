import BSON

/// Numbers by value, whatever their types. NaN equals itself and is below all other numbers.
enum NumericOrder {
  /// - Precondition: both are numbers.
  static func compare(_ left: Mixed, _ right: Mixed) -> Int {
    switch (left, right) {
    case (.decimal128(let left), .decimal128(let right)): return Decimal128.compare(left, right)
    case (.decimal128(let left), _): return Decimal128.compare(left, decimal(right))
    case (_, .decimal128(let right)): return Decimal128.compare(decimal(left), right)
    case (.int(let left), .int(let right)): return MixedOrder.order(left, right)
    case (.int(let left), _): return compare(left, double(right))
    case (_, .int(let right)): return -compare(right, double(left))
    default: return compare(double(left), double(right))
    }
  }

  static func compare(_ left: Double, _ right: Double) -> Int {
    if left.isNaN || right.isNaN { return MixedOrder.order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) }
    return MixedOrder.order(left, right)
  }

  /// Exactly, where a conversion to either type would round (C:mixed.cpp, `compare_long_to_double`).
  static func compare(_ int: Int64, _ double: Double) -> Int {
    if double.isNaN || double < -0x1p63 { return 1 }
    if double >= 0x1p63 { return -1 }
    let whole = Int64(double)
    return int == whole ? compare(Double(whole), double) : MixedOrder.order(int, whole)
  }

  private static func double(_ value: Mixed) -> Double {
    switch value {
    case .float(let float): Double(float)
    case .double(let double): double
    default: .nan
    }
  }

  private static func decimal(_ value: Mixed) -> Decimal128 {
    switch value {
    case .int(let int): Decimal128(int)
    case .float(let float): Decimal128(Double(float), significantDigits: 7)
    case .double(let double): Decimal128(double, significantDigits: 15)
    case .decimal128(let decimal): decimal
    default: .nan
    }
  }
}
