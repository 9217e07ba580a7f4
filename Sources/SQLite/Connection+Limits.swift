internal import CGatehouseSQLite
internal import Glibc

/// The conditions that stop a connection's statements.
public struct ConnectionLimits {
  /// The reason why a statement was stopped.
  public enum Reason: Sendable {
    case time
    case work
    case interruption
  }

  /// The time that a request may take, in nanoseconds; nil if there is no limit.
  public var time: UInt64?
  /// Nanoseconds that the request has waited already, which count towards ``time``.
  public var waited: UInt64 = 0
  /// The number of checks, one every few thousand instructions of SQLite's machine, after which a statement is
  /// stopped; nil if there is no limit.
  public var work: Int?
  /// Stops statements once another thread has raised it.
  public var interruption: Interruption?
  /// The reason why the last stopped statement was stopped.
  public fileprivate(set) var reason: Reason?
  /// The time of the first check of the running statement.
  fileprivate var startTime: UInt64 = 0
}

extension Connection {
  /// Instructions of SQLite's machine between two checks. Point reads never get there.
  private static let instructionsPerLook: Int32 = 4096

  /// Makes statements fail with `SQLITE_INTERRUPT` where ``limits`` say so.
  public func obeyLimits() {
    sqlite3_progress_handler(
      handle, Connection.instructionsPerLook,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Begins the time of the next request. It costs nothing: the clock is read only once a statement turns out to be
  /// long.
  public func restartTime() {
    limits.startTime = 0
  }

  /// Whether the running statement must stop: for functions of ours that take long by themselves.
  public var mustStop: Bool {
    limits.reason = reasonToStop
    return limits.reason != nil
  }

  private var reasonToStop: ConnectionLimits.Reason? {
    if limits.interruption?.isRequested == true { return .interruption }
    if let work = limits.work {
      precondition(work >= 0, "a statement is stopped when its work is done up")
      if work == 0 { return .work }
      limits.work = work - 1
    }
    return isOverdue ? .time : nil
  }

  private var isOverdue: Bool {
    guard let limit = limits.time else { return false }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    if limits.startTime == 0 { limits.startTime = now }
    return now - limits.startTime + limits.waited > limit
  }
}
