public import GatehouseBSON
import Glibc
import Synchronization

/// The time that commits are given: the system's clock, but for steps forward that do not last.
///
/// A commit's time is never before that of the commit before it, so one commit with a clock that is a year ahead would
/// stop the times of all later ones for a year, and an old log would be removed for its age. So while the system's clock
/// is further ahead than the time that has passed since it was last believed allows, time goes on at that pace. A step
/// that has lasted ``patience`` is believed; steps back are at once.
public final class CommitClock: Sendable {
  private let state = Mutex(State())

  public init() {}

  public func now() -> Date {
    var passed = timespec()
    // It counts while the machine sleeps, too.
    clock_gettime(CLOCK_BOOTTIME, &passed)
    let nanoseconds = Int64(passed.tv_sec) * 1_000_000_000 + Int64(passed.tv_nsec)
    let system = Date.now
    return state.withLock { $0.time(system: system, passed: nanoseconds) }
  }

  /// The time that was believed last; a value of its own for tests.
  struct State {
    /// Seconds by which the clock may be ahead without being doubted: somebody sets it a little, or it is slewed.
    static let tolerance: Int64 = 10
    /// Nanoseconds after which a step forward is believed.
    static let patience: Int64 = 600 * 1_000_000_000

    private var believed: (time: Date, passed: Int64)?
    /// When the clock was first seen ahead, in nanoseconds of `passed`.
    private var isAheadSince: Int64?

    /// Returns the time to use where the system's clock says `system`, and a clock that nobody sets is at `passed`
    /// nanoseconds.
    mutating func time(system: Date, passed: Int64) -> Date {
      guard let believed else {
        self.believed = (system, passed)
        return system
      }
      let expected = believed.time.adding(nanoseconds: passed - believed.passed)
      if system.seconds > expected.seconds + State.tolerance {
        let since = isAheadSince ?? passed
        isAheadSince = since
        if passed - since < State.patience { return expected }
      }
      isAheadSince = nil
      self.believed = (system, passed)
      return system
    }
  }
}

extension Date {
  fileprivate func adding(nanoseconds count: Int64) -> Date {
    let sum = Int64(nanoseconds) + count
    let rest = (sum % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    return Date(seconds: seconds + (sum - rest) / 1_000_000_000, nanoseconds: Int32(rest))
  }
}
