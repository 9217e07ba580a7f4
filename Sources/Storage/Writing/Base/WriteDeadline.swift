import GatehouseSQLite
import GatehouseTelemetry

/// Ends a transaction that keeps the others waiting for too long, or that nobody waits for any more.
struct WriteDeadline {
  /// The cost between two looks at the clock, in rows that are written: some hundred microseconds.
  static let stride = 64

  private let interruption: Interruption?
  /// On the monotonic clock, in nanoseconds.
  private let end: UInt64?
  private var cost = 0

  /// - Parameter limit: Nanoseconds; nil: it may take as long as it takes.
  init(after limit: UInt64? = nil, _ interruption: Interruption? = nil) {
    self.interruption = interruption
    end = limit.map { MonotonicClock.now() &+ $0 }
  }

  /// To be called for each object, or element, that the transaction touches, and for what takes as long as `cost` of
  /// them. Throws ``StorageError/timeLimit`` or ``StorageError/cancelled``.
  mutating func check(cost: Int) throws(StorageError) {
    self.cost += cost
    guard self.cost >= WriteDeadline.stride else { return }
    self.cost = 0
    if interruption?.isRequested == true { throw .cancelled }
    if let end, MonotonicClock.now() > end { throw .timeLimit }
  }

  /// Has a connection obey it while `body` reads.
  func reading<Answer>(
    on connection: Connection, _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    connection.limits.time = end.map { end in
      let now = MonotonicClock.now()
      return end > now ? end - now : 0
    }
    connection.limits.interruption = interruption
    connection.restartTime()
    defer { (connection.limits.time, connection.limits.interruption) = (nil, nil) }
    do throws(StorageError) { return try body() } catch {
      if case .timeLimit = error, connection.limits.reason == .interruption { throw .cancelled }
      throw error
    }
  }
}
