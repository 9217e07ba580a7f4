internal import GatehouseBSON
package import GatehouseModel

/// Arithmetic between values (realm-core's `mixed.cpp`, `operator+` and its like).
extension ArithmeticOperator {
  /// The result of the operation on two numbers; null if one of them is none.
  ///
  /// The operands take the larger of their types: int < float < double < decimal128. What
  /// is no int any more is a decimal128, where realm-core wraps; an int divided by 0 is the largest int, or the smallest
  /// if the dividend is negative.
  package func result(_ left: Mixed, _ right: Mixed) -> Mixed {
    switch (left.number, right.number) {
    case (.int(let left), .int(let right)):
      integer(left, right).map { .int($0) } ?? .decimal128(decimal(Decimal128(left), Decimal128(right)))
    case (.float(let left), .float(let right)): .float(floating(left, right))
    case (.float(let left), .int(let right)): .float(floating(left, Float(right)))
    case (.int(let left), .float(let right)): .float(floating(Float(left), right))
    case (.none, _), (_, .none): .null
    case (.decimal(let left), let right): .decimal128(decimal(left, right.decimal))
    case (let left, .decimal(let right)): .decimal128(decimal(left.decimal, right))
    case (let left, let right): .double(floating(left.double, right.double))
    }
  }

  /// Nil where the result is no int.
  private func integer(_ left: Int64, _ right: Int64) -> Int64? {
    let (result, overflows) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide where right == 0: (left < 0 ? .min : .max, false)
      case .divide: left.dividedReportingOverflow(by: right)
      }
    return overflows ? nil : result
  }

  private func floating<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Number {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }

  private func decimal(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }
}

extension Mixed {
  fileprivate var number: Number {
    switch self {
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal128(let value): .decimal(value)
    case .null, .bool, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary: .none
    }
  }

  fileprivate enum Number {
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    case none

    var double: Double {
      switch self {
      case .int(let value): Double(value)
      case .float(let value): Double(value)
      case .double(let value): value
      case .decimal(let value): value.double
      case .none: .nan
      }
    }

    var decimal: Decimal128 {
      switch self {
      case .int(let value): Decimal128(value)
      case .float(let value): Decimal128(rounding: value)
      case .double(let value): Decimal128(rounding: value)
      case .decimal(let value): value
      case .none: .nan
      }
    }
  }
}
