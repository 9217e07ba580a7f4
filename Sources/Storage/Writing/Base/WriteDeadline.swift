import GatehouseSQLite
import GatehouseTelemetry

/// Ends a transaction that keeps the others waiting for too long, or that nobody waits for any more.
struct WriteDeadline {
  /// Steps between two looks at the clock: some hundred microseconds.
  private static let stride = 64

  private let interruption: Interruption?
  /// On the monotonic clock, in nanoseconds.
  private let end: UInt64?
  private var steps = 0

  /// - Parameter limit: Nanoseconds; nil: it may take as long as it takes.
  init(after limit: UInt64? = nil, _ interruption: Interruption? = nil) {
    self.interruption = interruption
    end = limit.map { MonotonicClock.now() &+ $0 }
  }

  /// To be called for each object, or element, that the transaction touches. Throws ``StorageError/timeLimit`` or
  /// ``StorageError/cancelled``.
  mutating func check() throws(StorageError) {
    steps &+= 1
    guard steps.isMultiple(of: WriteDeadline.stride) else { return }
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
