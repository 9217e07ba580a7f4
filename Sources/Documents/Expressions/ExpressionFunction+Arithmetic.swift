import GatehouseBSON
import Glibc

extension ExpressionFunction {
  /// The number, or an error that names the operator.
  static func number(_ value: Value, _ name: String) throws(DocumentsError) -> Number {
    guard let number = Number(value) else {
      throw .at(28765, "\(name) only supports numeric types, not \(value.typeName)")
    }
    return number
  }

  static let arithmetic: [ExpressionFunction] = [
    strict("$add", any) { values throws(DocumentsError) in try sum(values) },
    strict("$subtract", 2...2) { values throws(DocumentsError) in try difference(values[0], values[1]) },
    strict("$multiply", any) { values throws(DocumentsError) in
      var product = Number.int32(1)
      for value in values { product = product * (try number(value, "$multiply")) }
      return product.value
    },
    strict("$divide", 2...2) { values throws(DocumentsError) in
      guard values[0].isNumber, values[1].isNumber else {
        throw .typeMismatch(
          "$divide only supports numeric types, not \(values[0].typeName) and \(values[1].typeName)")
      }
      guard let quotient = try number(values[0], "$divide") / number(values[1], "$divide") else {
        throw .badValue("can't $divide by zero")
      }
      return quotient.value
    },
    strict("$mod", 2...2) { values throws(DocumentsError) in
      guard values[0].isNumber, values[1].isNumber else {
        throw .at(
          16611, "$mod only supports numeric types, not \(values[0].typeName) and \(values[1].typeName)")
      }
      guard let remainder = try number(values[0], "$mod") % number(values[1], "$mod") else {
        throw .at(16610, "can't $mod by zero")
      }
      return remainder.value
    },
    strict("$abs") { values throws(DocumentsError) in
      switch try number(values[0], "$abs") {
      case .int32(let int): return int == .min ? .int64(-Int64(int)) : .int32(abs(int))
      case .int64(let int):
        if int == .min { throw .at(28680, "can't take $abs of long long min") }
        return .int64(abs(int))
      case .double(let double): return .double(abs(double))
      case .decimal(let decimal): return .decimal128(decimal.isNegative ? -decimal : decimal)
      }
    },
    rounding("$ceil", .up), rounding("$floor", .down),
    placed("$round", .toNearestOrEven), placed("$trunc", .towardZero),
    strict("$pow", 2...2) { values throws(DocumentsError) in
      let (base, exponent) = (try number(values[0], "$pow"), try number(values[1], "$pow"))
      if base.double == 0, exponent.double < 0 {
        throw .at(28764, "$pow cannot take a base of 0 and a negative exponent")
      }
      return base.power(exponent).value
    },
    real("$sqrt") { value throws(DocumentsError) in
      if value < 0 { throw .at(28714, "$sqrt's argument must be greater than or equal to 0") }
      return value.squareRoot()
    },
    real("$exp") { exp($0) },
    real("$ln") { value throws(DocumentsError) in
      if value <= 0 { throw .at(28766, "$ln's argument must be a positive number") }
      return log(value)
    },
    real("$log10") { value throws(DocumentsError) in
      if value <= 0 { throw .at(28761, "$log10's argument must be a positive number") }
      return log10(value)
    },
    strict("$log", 2...2) { values throws(DocumentsError) in
      let (value, base) = (try number(values[0], "$log").double, try number(values[1], "$log").double)
      if value <= 0 { throw .at(28758, "$log's argument must be a positive number") }
      if base <= 0 || base == 1 { throw .at(28759, "$log's base must be a positive number not equal to 1") }
      return .double(log(value) / log(base))
    },
    strict("$sigmoid") { values throws(DocumentsError) in
      .double(1 / (1 + exp(-(try number(values[0], "$sigmoid").double))))
    },
    ExpressionFunction("$rand", 0...1) { _ in .double(.random(in: 0..<1)) },
  ]

  static let trigonometry: [ExpressionFunction] = [
    real("$sin") { sin($0) }, real("$cos") { cos($0) }, real("$tan") { tan($0) },
    real("$asin") { asin($0) }, real("$acos") { acos($0) }, real("$atan") { atan($0) },
    real("$sinh") { sinh($0) }, real("$cosh") { cosh($0) }, real("$tanh") { tanh($0) },
    real("$asinh") { asinh($0) }, real("$acosh") { acosh($0) }, real("$atanh") { atanh($0) },
    real("$degreesToRadians") { $0 * .pi / 180 }, real("$radiansToDegrees") { $0 * 180 / .pi },
    strict("$atan2", 2...2) { values throws(DocumentsError) in
      .double(atan2(try number(values[0], "$atan2").double, try number(values[1], "$atan2").double))
    },
  ]

  /// A function of doubles. A decimal is calculated as a double, and gives a decimal of 15 digits.
  private static func real(
    _ name: String, _ function: @escaping @Sendable (Double) throws(DocumentsError) -> Double
  ) -> ExpressionFunction {
    strict(name) { values throws(DocumentsError) in
      let number = try number(values[0], name)
      let result = try function(number.double)
      if case .decimal = number { return .decimal128(Decimal128(rounding: result)) }
      return .double(result)
    }
  }

  private static func rounding(_ name: String, _ rule: FloatingPointRoundingRule) -> ExpressionFunction {
    strict(name) { values throws(DocumentsError) in
      try number(values[0], name).rounded(rule, places: 0).value
    }
  }

  private static func placed(_ name: String, _ rule: FloatingPointRoundingRule) -> ExpressionFunction {
    strict(name, 1...2) { values throws(DocumentsError) in
      var places = 0
      if values.count == 2 {
        guard let given = values[1].asInteger, -20...100 ~= given else {
          throw .at(51082, "cannot apply \(name) with precision value that is not an integer in [-20, 100]")
        }
        places = Int(given)
      }
      return try number(values[0], name).rounded(rule, places: places).value
    }
  }

  /// Numbers, and at most one date, to which the numbers are milliseconds.
  private static func sum(_ values: [Value]) throws(DocumentsError) -> Value {
    var date: Date?
    var sum = Number.int32(0)
    for value in values {
      if case .date(let other) = value {
        if date != nil { throw .at(16612, "only one date allowed in an $add expression") }
        date = other
      } else if let number = Number(value) {
        sum = sum + number
      } else {
        throw .typeMismatch("$add only supports numeric or date types, not \(value.typeName)")
      }
    }
    guard let date else { return sum.value }
    return .date(try added(sum, to: date))
  }

  private static func added(_ number: Number, to date: Date) throws(DocumentsError) -> Date {
    let rounded = number.double.rounded(.toNearestOrAwayFromZero)
    guard let milliseconds = number.integer ?? Int64(exactly: rounded) else {
      throw DocumentsError(.overflow, "date overflow in $add")
    }
    let (result, overflow) = date.milliseconds.addingReportingOverflow(milliseconds)
    if overflow { throw DocumentsError(.overflow, "date overflow in $add") }
    return Date(milliseconds: result)
  }

  private static func difference(_ left: Value, _ right: Value) throws(DocumentsError) -> Value {
    switch (left, right) {
    case (.date(let left), .date(let right)):
      let (result, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
      if overflow { throw DocumentsError(.overflow, "date overflow in $subtract") }
      return .int64(result)
    case (.date(let left), _):
      if let number = Number(right) { return .date(try added(Number.int32(0) - number, to: left)) }
    default:
      if let left = Number(left), let right = Number(right) { return (left - right).value }
    }
    throw .typeMismatch("can't $subtract \(right.typeName) from \(left.typeName)")
  }

  static let bits: [ExpressionFunction] = [
    bitwise("$bitAnd", start: -1) { $0 & $1 }, bitwise("$bitOr", start: 0) { $0 | $1 },
    bitwise("$bitXor", start: 0) { $0 ^ $1 },
    strict("$bitNot") { values throws(DocumentsError) in
      switch values[0] {
      case .int32(let int): return .int32(~int)
      case .int64(let int): return .int64(~int)
      default: throw .typeMismatch("$bitNot only supports int and long, not: \(values[0].typeName)")
      }
    },
  ]

  private static func bitwise(
    _ name: String, start: Int64, _ operation: @escaping @Sendable (Int64, Int64) -> Int64
  ) -> ExpressionFunction {
    strict(name, any) { values throws(DocumentsError) in
      var (result, isLong) = (start, false)
      for value in values {
        switch value {
        case .int32(let int): result = operation(result, Int64(int))
        case .int64(let int): (result, isLong) = (operation(result, int), true)
        default: throw .typeMismatch("\(name) only supports int and long operands.")
        }
      }
      return isLong ? .int64(result) : .int32(Int32(truncatingIfNeeded: result))
    }
  }
}
