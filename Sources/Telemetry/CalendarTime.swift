internal import Glibc

/// A moment as the calendar has it, in seconds since 1970 and nanoseconds beyond.
public struct CalendarTime: Hashable, Sendable {
  public let second: Int
  /// Below 1,000,000,000.
  public let nanoseconds: Int

  public init(second: Int, nanoseconds: Int) {
    precondition((0..<1_000_000_000).contains(nanoseconds), "a moment is seconds and a part of one")
    self.second = second
    self.nanoseconds = nanoseconds
  }

  public static func now() -> CalendarTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return CalendarTime(second: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// The moment so many nanoseconds later.
  public static func + (time: CalendarTime, nanoseconds: Int) -> CalendarTime {
    precondition(nanoseconds >= 0, "a later moment is no earlier one")
    let sum = time.nanoseconds + nanoseconds
    if sum < 1_000_000_000 { return CalendarTime(second: time.second, nanoseconds: sum) }
    return CalendarTime(second: time.second + sum / 1_000_000_000, nanoseconds: sum % 1_000_000_000)
  }
}
