/// How much callers have had stored in the present minute: events of their own, or bytes that they asked for.
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
    if let wait = wait(of: account, at: now) { return wait }
    add(1, to: account, at: now)
    return nil
  }

  /// Returns after how many seconds the caller may have more stored; nil: at once.
  mutating func wait(of account: String, at now: Int64) -> Int? {
    renew(at: now)
    let count = counts[account] ?? 0
    if count < limit, count > 0 || counts.count < EventRate.capacity { return nil }
    let wait = Int(EventRate.period - (now - begin))
    precondition(
      wait > 0 && wait <= EventRate.period, "who has had too much stored waits for the next minute")
    return wait
  }

  /// Counts what has been stored, also where it is more than there may be.
  mutating func add(_ amount: Int, to account: String, at now: Int64) {
    precondition(amount >= 0, "what has been stored is not taken back")
    renew(at: now)
    if counts[account] != nil || counts.count < EventRate.capacity { counts[account, default: 0] += amount }
  }

  /// A clock that is set back begins a minute, too.
  private mutating func renew(at now: Int64) {
    if now < begin || now >= begin &+ EventRate.period { (begin, counts) = (now, [:]) }
  }
}
