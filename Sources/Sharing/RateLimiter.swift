import Synchronization

/// Limits how many requests each caller may make in a second: a token bucket for each, of which any thread takes.
///
/// A bucket is one number, the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371), so that
/// nothing has to fill it. A full one is not kept at all, and neither are those of callers who have not come for long: whoever
/// makes up addresses to have theirs forgotten gains one burst for each.
public final class RateLimiter: Sendable {
  private final class Shard: Sendable {
    /// When each caller's bucket will be full, in nanoseconds.
    let times = Mutex(GenerationalCache<Caller, UInt64>(budget: RateLimiter.callers / RateLimiter.shardCount))
  }

  /// The most callers whose buckets are kept.
  static let callers = 65_536
  /// Parts of the table, so that threads seldom wait for each other.
  private static let shardCount = 16
  /// Nanoseconds in which one more request may be made.
  private let interval: UInt64
  /// Nanoseconds in which an empty bucket becomes full.
  private let capacity: UInt64
  private let now: @Sendable () -> UInt64
  private let shards = (0..<shardCount).map { _ in Shard() }

  /// Makes a limiter. Numbers beyond a thousand million count as that many, and those below 1 as 1.
  /// - Parameter now: A clock that only goes forward, in nanoseconds.
  public init(requestsPerSecond: Int, burst: Int, now: @escaping @Sendable () -> UInt64) {
    let second: UInt64 = 1_000_000_000
    interval = second / min(UInt64(max(1, requestsPerSecond)), second)
    capacity = interval * min(UInt64(max(1, burst)), second)
    precondition(interval > 0 && capacity >= interval, "a full bucket has a token")
    self.now = now
  }

  /// Takes a token from the caller's bucket. Returns nil, or the nanoseconds until there will be one.
  public func take(_ caller: Caller) -> UInt64? {
    let now = now()
    let shard = shards[Int(UInt(bitPattern: caller.hashValue) % UInt(RateLimiter.shardCount))]
    return shard.times.withLock { times in
      let full = max(times[caller] ?? now, now) + interval
      if full > now + capacity { return full - now - capacity }
      times.add(full, for: caller)
      return nil
    }
  }
}
