internal import BSON
public import Model

extension AggregateFunction {
  /// One value of many that a property of that type holds.
  ///
  /// Nulls and NaN are left out. Ints sum up to an int that wraps, floats to a double, mixed numbers to a
  /// decimal128 (realm-core, `aggregate_ops.hpp`).
  public func value(of values: [Mixed], type: ElementType) -> Mixed {
    let values = values.filter { $0 != .null && !$0.isNaN }
    switch self {
    case .minimum: return values.min { MixedOrder.compare($0, $1) < 0 } ?? .null
    case .maximum: return values.max { MixedOrder.compare($0, $1) < 0 } ?? .null
    case .sum: return Self.sum(values.filter(\.isNumber), type)
    case .average:
      let numbers = values.filter(\.isNumber)
      return numbers.isEmpty ? .null : Self.average(numbers, type)
    }
  }

  private static func sum(_ numbers: [Mixed], _ type: ElementType) -> Mixed {
    let zero: Mixed
    switch type {
    case .int: zero = .int(0)
    case .float, .double: zero = .double(0)
    case .bool, .decimal128, .string, .data, .date, .objectID, .uuid, .mixed, .object:
      zero = .decimal128(Decimal128(integer: 0))
    }
    return numbers.reduce(zero) { Mixed.arithmetic($0, .add, $1) }
  }

  private static func average(_ numbers: [Mixed], _ type: ElementType) -> Mixed {
    switch type {
    case .int:
      let sum = numbers.reduce(0.0) { sum, number in
        if case .int(let value) = number { sum + Double(value) } else { sum }
      }
      return .double(sum / Double(numbers.count))
    case .bool, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .mixed, .object:
      return Mixed.arithmetic(sum(numbers, type), .divide, .int(Int64(numbers.count)))
    }
  }
}

extension Mixed {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .float, .double, .decimal128: true
    case .null, .bool, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary: false
    }
  }
}
