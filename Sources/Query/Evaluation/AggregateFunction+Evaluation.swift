internal import GatehouseBSON
public import GatehouseModel

extension AggregateFunction {
  /// Returns one value for many that a property of that type holds.
  public func value(of values: [Mixed], type: ElementType) -> Mixed {
    var accumulator = Accumulator(self, of: type)
    for value in values { accumulator.add(value) }
    return accumulator.value
  }
}

/// Takes values one by one and aggregates them.
///
/// Nulls and NaN are left out. Ints sum up to an int, or to a decimal128 where there is no such int; floats to a double,
/// mixed numbers to a decimal128; the average of ints is a double (realm-core, `aggregate_ops.hpp`).
public struct Accumulator: Sendable {
  private let function: AggregateFunction
  private let type: ElementType
  private var best: Mixed = .null
  private var sum: Mixed
  private var count: Int64 = 0

  public init(_ function: AggregateFunction, of type: ElementType) {
    self.function = function
    self.type = type
    switch (type, function) {
    case (.int, .average), (.float, _), (.double, _): sum = .double(0)
    case (.int, _): sum = .int(0)
    case (.bool, _), (.decimal128, _), (.string, _), (.data, _), (.date, _), (.objectID, _), (.uuid, _),
      (.mixed, _), (.object, _):
      sum = .decimal128(.zero)
    }
  }

  public mutating func add(_ value: Mixed) {
    if case .null = value { return }
    if value.isNaN { return }
    switch function {
    case .minimum: if best == .null || MixedOrder.sortOrder(value, best) < 0 { best = value }
    case .maximum: if best == .null || MixedOrder.sortOrder(value, best) > 0 { best = value }
    case .sum, .average:
      guard value.rank == .numeric else { return }
      sum = ArithmeticOperator.add.result(sum, value)
      count += 1
    }
  }

  /// Adds numbers of which only the sum is known, and how many there are.
  public mutating func add(sum other: Mixed, of count: Int64) {
    precondition(
      function == .sum || function == .average, "the sum of values tells nothing of the least or the greatest"
    )
    sum = ArithmeticOperator.add.result(sum, other)
    self.count += count
  }

  /// Adds the values that another one, of the same function and type, has taken.
  public mutating func add(_ other: Accumulator) {
    precondition(
      function == other.function && type == other.type,
      "aggregates that become one are of one function, and of values of one type")
    switch function {
    case .minimum, .maximum: add(other.best)
    case .sum, .average:
      add(sum: other.sum, of: other.count)
    }
  }

  /// The aggregate of the values so far.
  public var value: Mixed {
    switch function {
    case .minimum, .maximum: best
    case .sum: type == .int ? sum.asInt : sum
    case .average: count == 0 ? .null : ArithmeticOperator.divide.result(sum, .int(count))
    }
  }
}

extension Mixed {
  /// The int that a sum of ints is after all, though one on the way was none.
  fileprivate var asInt: Mixed {
    guard case .decimal128(let decimal) = self, let int = Int64(exactly: decimal) else { return self }
    return .int(int)
  }
}
