/// A point on a clock that only goes forward, in nanoseconds. Whoever owns the clock hands it in.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  public var nanoseconds: UInt64

  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (one: MonotonicTime, other: MonotonicTime) -> Bool {
    one.nanoseconds < other.nanoseconds
  }

  /// The time that much later; negative durations count as zero.
  public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    let (seconds, attoseconds) = duration.components
    if seconds < 0 || attoseconds < 0 { return time }
    // Three centuries are forever, and cannot overflow.
    let limited = UInt64(min(seconds, 10_000_000_000))
    return MonotonicTime(
      nanoseconds: time.nanoseconds + limited * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
  }
}
