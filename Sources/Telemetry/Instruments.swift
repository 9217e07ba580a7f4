internal import Synchronization

/// One loop's part of an instrument. A class, so that each has a cache line of its own.
final class Shard: Sendable {
  let value = Atomic<Int>(0)
}

/// What only grows.
public final class Counter: Sendable {
  private let shards: [Shard]

  init(shardCount: Int) {
    shards = (0..<shardCount).map { _ in Shard() }
  }

  public func add(_ amount: Int = 1, shard: Int = 0) {
    shards[shard].value.wrappingAdd(amount, ordering: .relaxed)
  }

  /// The sum of the shards.
  public var value: Int {
    shards.reduce(0) { $0 &+ $1.value.load(ordering: .relaxed) }
  }
}

/// What goes up and down.
public final class Gauge: Sendable {
  private let shards: [Shard]

  init(shardCount: Int) {
    shards = (0..<shardCount).map { _ in Shard() }
  }

  public func add(_ amount: Int, shard: Int = 0) {
    shards[shard].value.wrappingAdd(amount, ordering: .relaxed)
  }

  public func set(_ value: Int, shard: Int = 0) {
    shards[shard].value.store(value, ordering: .relaxed)
  }

  /// The sum of the shards.
  public var value: Int {
    shards.reduce(0) { $0 &+ $1.value.load(ordering: .relaxed) }
  }
}

/// How durations or sizes are spread.
public final class Histogram: Sendable {
  /// Upper bounds, in nanoseconds where it is one of durations; the last bucket has none.
  let bounds: [Int]
  /// By what values are divided when they are told: durations are told in seconds.
  let scale: Double
  private let buckets: [Counter]
  private let sumOfValues: Counter

  init(bounds: [Int], scale: Double, shardCount: Int) {
    self.bounds = bounds
    self.scale = scale
    buckets = (0...bounds.count).map { _ in Counter(shardCount: shardCount) }
    sumOfValues = Counter(shardCount: shardCount)
  }

  /// Adds a size.
  public func record(_ value: Int, shard: Int = 0) {
    var index = 0
    while index < bounds.count, value > bounds[index] { index += 1 }
    buckets[index].add(shard: shard)
    sumOfValues.add(value, shard: shard)
  }

  /// Adds a duration.
  public func record(nanoseconds: Int, shard: Int = 0) {
    record(nanoseconds, shard: shard)
  }

  /// How many there were up to each bound, and in all.
  var cumulative: [Int] {
    var sum = 0
    return buckets.map { bucket in
      sum += bucket.value
      return sum
    }
  }

  var sum: Double { Double(sumOfValues.value) / scale }
}
