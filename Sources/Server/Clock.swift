internal import Glibc
internal import HTTP

/// The system's clocks.
enum Clock {
  /// Time that only goes forward.
  static func now() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// The second that the calendar is in.
  static func secondsSince1970() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time.tv_sec
  }
}
