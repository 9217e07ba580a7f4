/// A number that only grows (OpenMetrics counter).
public final class Counter: Sendable {
  private let tally: Tally

  init(shardCount: Int) {
    tally = Tally(shardCount: shardCount)
  }

  public func add(_ amount: Int = 1, shard: Int = 0) {
    precondition(amount >= 0, "a counter only grows")
    tally.add(amount, shard: shard)
  }

  /// The sum of the shards.
  public var value: Int { tally.sum() }
}

/// A number that goes up and down (OpenMetrics gauge).
public final class Gauge: Sendable {
  private let tally: Tally

  init(shardCount: Int) {
    tally = Tally(shardCount: shardCount)
  }

  public func add(_ amount: Int, shard: Int = 0) {
    tally.add(amount, shard: shard)
  }

  public func set(_ value: Int, shard: Int = 0) {
    tally.set(value, shard: shard)
  }

  /// The sum of the shards.
  public var value: Int { tally.sum() }
}

/// The distribution of durations or sizes over buckets (OpenMetrics histogram).
public final class Histogram: Sendable {
  /// Upper bounds, in nanoseconds where it is one of durations; the last bucket has none.
  let bounds: [Int]
  /// The divisor of values when they are rendered: durations are rendered in seconds.
  let scale: Double
  /// The count of each bucket, and behind them the sum of all values.
  private let tally: Tally

  init(bounds: [Int], scale: Double, shardCount: Int) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "the bounds of buckets grow")
    self.bounds = bounds
    self.scale = scale
    tally = Tally(count: bounds.count + 2, shardCount: shardCount)
  }

  /// Adds a size.
  public func record(_ value: Int, shard: Int = 0) {
    var index = 0
    while index < bounds.count, value > bounds[index] { index += 1 }
    tally.add(1, to: index, shard: shard)
    tally.add(value, to: bounds.count + 1, shard: shard)
  }

  /// Adds a duration.
  public func record(nanoseconds: Int, shard: Int = 0) {
    record(nanoseconds, shard: shard)
  }

  /// The number of values up to each bound, and in all.
  var cumulative: [Int] {
    var sum = 0
    return (0...bounds.count).map { bucket in
      sum += tally.sum(of: bucket)
      return sum
    }
  }

  var sum: Double { Double(tally.sum(of: bounds.count + 1)) / scale }
}
