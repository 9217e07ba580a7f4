import GatehouseBSON

/// Numbers by value, whatever their types. NaN equals itself and is below all other numbers.
enum NumericOrder {
  /// A double beside a decimal is its 15 significant digits, a float its 7.
  case related
  /// A double beside a decimal is the first 34 of its digits, which are all that a decimal has.
  case sorted

  /// - Precondition: both are numbers.
  func compare(_ left: Mixed, _ right: Mixed) -> Int {
    switch (left, right) {
    case (.decimal128(let left), .decimal128(let right)): return Decimal128.compare(left, right)
    case (.decimal128(let left), _): return Decimal128.compare(left, decimal(right))
    case (_, .decimal128(let right)): return Decimal128.compare(decimal(left), right)
    case (.int(let left), .int(let right)): return MixedOrder.order(left, right)
    case (.int(let left), _): return Self.compare(left, Self.double(right))
    case (_, .int(let right)): return -Self.compare(right, Self.double(left))
    default: return Self.compare(Self.double(left), Self.double(right))
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

  private func decimal(_ value: Mixed) -> Decimal128 {
    switch (value, self) {
    case (.int(let int), _): Decimal128(int)
    case (.float(let float), .related): Decimal128(rounding: float)
    case (.double(let double), .related): Decimal128(rounding: double)
    case (.float(let float), .sorted): Decimal128(exactly: Double(float))
    case (.double(let double), .sorted): Decimal128(exactly: double)
    case (.decimal128(let decimal), _): decimal
    default: .nan
    }
  }
}
