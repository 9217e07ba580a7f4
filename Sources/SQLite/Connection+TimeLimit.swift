internal import CSQLite
internal import Glibc

extension Connection {
  /// How many instructions of SQLite's machine run between two looks at the clock. Point reads never get there.
  private static let instructionsPerLook: Int32 = 4096

  /// From now on a statement that runs longer fails with `SQLITE_INTERRUPT`.
  ///
  /// Whoever uses the connection says with ``restartTimeLimit()`` when the time begins.
  public func limitTime(nanoseconds: UInt64) {
    timeLimit = nanoseconds
    sqlite3_progress_handler(
      handle, Connection.instructionsPerLook,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isOverdue ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Begins the time anew. It costs nothing: the clock is read only once a statement turns out to be long.
  public func restartTimeLimit() {
    startTime = 0
  }

  private var isOverdue: Bool {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    if startTime == 0 { startTime = now }
    return now - startTime > timeLimit
  }
}
