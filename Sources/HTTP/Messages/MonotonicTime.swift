/// A point on a clock that only goes forward, in nanoseconds. Whoever owns the clock hands it in.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  public var nanoseconds: UInt64

  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (one: MonotonicTime, other: MonotonicTime) -> Bool {
    one.nanoseconds < other.nanoseconds
  }

  /// The time so many nanoseconds later.
  static func + (time: MonotonicTime, nanoseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds &+ nanoseconds)
  }
}
