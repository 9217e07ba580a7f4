internal import CGatehouseSQLite

extension Connection {
  /// How far a checkpoint goes; see <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
  public enum Checkpoint: Sendable {
    /// Moves what no reader still needs to find in the log, and waits for nobody.
    case passive
    /// Moves everything and waits for the readers of the log, so that the next commit begins it anew.
    case restart
    /// Like restart, and leaves an empty file.
    case truncate
  }

  /// Counts the log's pages in ``writeAheadPages``, and leaves checkpoints to whoever owns the connection.
  public func observeWriteAheadLog() {
    // The hook takes the place of SQLite's own, which makes the automatic checkpoints.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        connection.writeAheadPages = Int(pages)
        connection.loggedCommits += 1
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Leaves the log as it is when the connection is closed, which would otherwise move it.
  public func keepWriteAheadLog() {
    _ = gatehouse_sqlite_keep_log(handle)
  }

  /// Moves pages from the log into the database file. Throws `SQLITE_BUSY` when readers are in the way for
  /// longer than ``waitForLocks(milliseconds:)`` says.
  public func checkpoint(_ extent: Checkpoint) throws(DatabaseError) {
    let mode =
      switch extent {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }
}
