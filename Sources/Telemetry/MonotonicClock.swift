internal import Glibc

/// The system's clock that only goes forward (`CLOCK_MONOTONIC`), for durations and deadlines.
public enum MonotonicClock {
  /// Returns the time in nanoseconds.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
