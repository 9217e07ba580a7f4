/// The reason why an app could not be opened, and when that was told.
struct AppFailure: Sendable {
  private(set) var text = ""
  /// On the monotonic clock, in nanoseconds.
  private var time: UInt64 = 0
  private var toldTime: UInt64?

  /// Nobody tries again before this has passed: each attempt takes its time, and anybody can ask.
  private static let pause: UInt64 = 1_000_000_000
  private static let interval: UInt64 = 60_000_000_000

  func isFresh(at now: UInt64) -> Bool { now < time + AppFailure.pause }

  /// Adds an attempt. Returns whether to tell of it: the reason is another one, or it was told a minute ago.
  mutating func add(_ text: String, at now: UInt64) -> Bool {
    let isNew = toldTime.map { text != self.text || now >= $0 + AppFailure.interval } ?? true
    (self.text, time) = (text, now)
    if isNew { toldTime = now }
    return isNew
  }
}
