internal import CSQLite
internal import Glibc

/// The conditions that stop a connection's statements.
public struct ConnectionLimits {
  /// Why a statement was stopped.
  public enum Reason: Sendable {
    case time
    case work
    case interruption
  }

  /// The time that a request may take, in nanoseconds; nil: as long as it takes.
  public var time: UInt64?
  /// How long whoever asks has waited already, in nanoseconds: that counts towards ``time``.
  public var waited: UInt64 = 0
  /// How often a statement may still be looked at, every few thousand instructions of SQLite's machine; nil: ever.
  public var work: Int?
  /// Stops statements once another thread has raised it.
  public var interruption: Interruption?
  /// Why the last statement that was stopped was.
  public fileprivate(set) var reason: Reason?
  /// When the statement that is running was first looked at.
  fileprivate var startTime: UInt64 = 0
}

extension Connection {
  /// How many instructions of SQLite's machine run between two looks. Point reads never get there.
  private static let instructionsPerLook: Int32 = 4096

  /// From now on a statement fails with `SQLITE_INTERRUPT` where ``limits`` say so.
  public func obeyLimits() {
    sqlite3_progress_handler(
      handle, Connection.instructionsPerLook,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Begins the time anew. It costs nothing: the clock is read only once a statement turns out to be long.
  public func restartTime() {
    limits.startTime = 0
  }

  /// Whether what runs on the connection must stop: for functions of ours that take long by themselves.
  public var mustStop: Bool {
    limits.reason = reasonToStop
    return limits.reason != nil
  }

  private var reasonToStop: ConnectionLimits.Reason? {
    if limits.interruption?.isRequested == true { return .interruption }
    if let work = limits.work {
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
