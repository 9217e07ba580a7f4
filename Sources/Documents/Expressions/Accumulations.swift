import GatehouseBSON

/// Functions of many values, which `$group` and expressions have in common.
enum Accumulations {
  /// The sum of the numbers among the values.
  static func sum(_ values: [Value]) -> Value {
    var sum = RunningSum()
    for value in values { sum.add(value) }
    return sum.value
  }

  /// Null where no value is a number.
  static func average(_ values: [Value]) -> Value {
    var sum = RunningSum()
    for value in values { sum.add(value) }
    return sum.average
  }

  /// The standard deviation of the numbers among the values; null where there are too few.
  static func deviation(_ values: [Value], isSample: Bool) -> Value {
    var deviation = RunningDeviation()
    for value in values { deviation.add(value) }
    return deviation.value(isSample: isSample)
  }
}

/// A sum that grows. Integers are exact; doubles keep what rounding loses (Neumaier), as MongoDB's sums do.
struct RunningSum {
  private(set) var count = 0
  private var integers: Int128 = 0
  private var isLong = false
  private var hasDouble = false
  private var double = 0.0
  private var lost = 0.0
  private var decimal: Decimal128?

  mutating func add(_ value: Value) {
    switch value {
    case .int32(let int): integers += Int128(int)
    case .int64(let int): (integers, isLong) = (integers + Int128(int), true)
    case .double(let number):
      hasDouble = true
      let sum = double + number
      if sum.isFinite {
        lost += abs(double) >= abs(number) ? (double - sum) + number : (number - sum) + double
      }
      double = sum
    case .decimal128(let number): decimal = (decimal ?? .zero) + number
    default: return
    }
    count += 1
  }

  /// Adds the numbers of another sum.
  mutating func add(_ other: RunningSum) {
    let count = count + other.count
    if other.hasDouble {
      add(.double(other.double))
      lost += other.lost
    }
    if let number = other.decimal { decimal = (decimal ?? .zero) + number }
    integers += other.integers
    isLong = isLong || other.isLong
    self.count = count
  }

  private var doubles: Double { double.isFinite ? double + lost : double }

  var value: Value {
    if let decimal { return .decimal128(decimal + integerDecimal + Decimal128(rounding: doubles)) }
    if hasDouble { return .double(doubles + Double(integers)) }
    guard let sum = Int64(exactly: integers) else { return .double(Double(integers)) }
    return isLong ? .int64(sum) : .integer(sum)
  }

  private var integerDecimal: Decimal128 {
    Int64(exactly: integers).map { Decimal128($0) } ?? Decimal128("\(integers)") ?? .nan
  }

  /// Null where nothing was added.
  var average: Value {
    if count == 0 { return .null }
    if decimal != nil, case .decimal128(let sum) = value {
      return .decimal128(sum / Decimal128(Int64(count)))
    }
    return .double((doubles + Double(integers)) / Double(count))
  }
}

/// A standard deviation that grows, by Welford's algorithm.
struct RunningDeviation {
  private var count = 0.0
  private var mean = 0.0
  private var squares = 0.0

  mutating func add(_ value: Value) {
    guard let number = value.asDouble else { return }
    count += 1
    let delta = number - mean
    mean += delta / count
    squares += delta * (number - mean)
  }

  /// Adds the numbers of another one (Chan, Golub, LeVeque: Updating formulae, 1979).
  mutating func add(_ other: RunningDeviation) {
    guard other.count > 0 else { return }
    let all = count + other.count
    let delta = other.mean - mean
    mean += delta * other.count / all
    squares += other.squares + delta * delta * count * other.count / all
    count = all
  }

  func value(isSample: Bool) -> Value {
    let divisor = isSample ? count - 1 : count
    return divisor <= 0 ? .null : .double((squares / divisor).squareRoot())
  }
}
