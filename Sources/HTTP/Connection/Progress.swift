/// A floor under the speed of a peer that we wait for: so many bytes in each stretch of time.
struct Progress: Sendable {
  private(set) var deadline: MonotonicTime
  private var bytes = 0

  init(since now: MonotonicTime, limits: SharedLimits) {
    deadline = now + limits.progressTime
  }

  mutating func add(_ count: Int) {
    bytes += count
  }

  /// Begins the next stretch; false when in this one the peer was too slow.
  mutating func renew(now: MonotonicTime, limits: SharedLimits) -> Bool {
    guard bytes >= limits.limits.minimumProgress else { return false }
    self = Progress(since: now, limits: limits)
    return true
  }
}
