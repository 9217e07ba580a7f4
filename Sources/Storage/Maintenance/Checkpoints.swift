import GatehouseSQLite

/// When the write-ahead log's pages are moved into the database file.
///
/// SQLite begins the log anew only at a commit during which no reader is in it. Under constant load there always
/// is one, so that the log would grow for ever: beyond a size the writer waits for readers to leave it, and those
/// that come meanwhile read the database file alone.
struct Checkpoints {
  /// SQLite's own default (<https://sqlite.org/wal.html#automatic_checkpoint>).
  private static let usualInterval = 1000
  private static let patience: Int32 = 100
  private static let pageSize = 4096

  /// The pages in the log between two moves: fewer where the log is to be small.
  private let interval: Int
  private let largest: Int
  private let background: BackgroundCheckpoint
  /// The pages in the log at which to do something again.
  private var next: Int
  private var nextRestart: Int

  /// For the database that `connection` writes.
  init(_ connection: Connection, background: BackgroundCheckpoint, size: Int) throws(StorageError) {
    self.background = background
    interval = min(Checkpoints.usualInterval, max(1, size / Checkpoints.pageSize / 2))
    largest = max(size / Checkpoints.pageSize, 2 * interval)
    (next, nextRestart) = (interval, largest)
    do { try connection.execute("PRAGMA journal_size_limit = \(size)") } catch { throw StorageError(error) }
  }

  /// To be called after each commit, when its clients have their answers.
  mutating func didCommit(on connection: Connection) {
    let pages = connection.writeAheadPages
    // The log has begun anew.
    if pages < interval {
      (next, nextRestart) = (interval, largest)
      return
    }
    if pages >= nextRestart {
      restart(connection, pages)
    } else if pages >= next {
      background.begin()
      next = pages + interval
    }
  }

  /// Ends the work of checkpoints.
  func stop() {
    background.wait()
  }

  private mutating func restart(_ connection: Connection, _ pages: Int) {
    if background.isRunning { return }
    do throws(DatabaseError) {
      try connection.waitingForLocks(milliseconds: Checkpoints.patience) { () throws(DatabaseError) in
        try background.sync.checkpoint(connection, .restart)
      }
    } catch {
      // A reader that stays, such as a backup: to wait again at each commit would be worse than a larger log.
      nextRestart = pages + largest / 4
    }
  }
}
