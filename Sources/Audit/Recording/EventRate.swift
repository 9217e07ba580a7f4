/// How many events of their own callers have stored in the present minute.
struct EventRate {
  /// Seconds.
  static let period: Int64 = 60
  /// Callers who are remembered. Beyond that, nobody new is counted in before the minute ends.
  static let capacity = 4_096

  private let limit: Int
  private var begin: Int64 = .min
  private var counts: [String: Int] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts an event of the caller's; returns after how many seconds there may be another where there were as many as
  /// there may be.
  mutating func count(_ account: String, at now: Int64) -> Int? {
    // A clock that is set back begins a minute, too.
    if now < begin || now >= begin &+ EventRate.period { (begin, counts) = (now, [:]) }
    let count = counts[account] ?? 0
    guard count < limit, count > 0 || counts.count < EventRate.capacity else {
      return Int(EventRate.period - (now - begin))
    }
    counts[account] = count + 1
    return nil
  }
}
