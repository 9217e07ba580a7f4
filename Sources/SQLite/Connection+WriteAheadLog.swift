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
        // The log has begun anew, and its file may have been cut.
        if pages < connection.writeAheadPages { connection.writeAheadFile = WriteAheadFile() }
        connection.writeAheadPages = Int(pages)
        connection.loggedCommits += 1
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Leaves the log as it is when the connection is closed, which would otherwise move it.
  public func keepWriteAheadLog() {
    _ = gatehouse_sqlite_keep_log(handle)
  }

  /// Makes the log's file longer, by bytes that are zero, where the next commit might. A commit into what a file has already is durable
  /// in half of the time of one that makes it longer, since the file system then syncs what it knows of the file as well.
  ///
  /// Frames that are zero have another salt than the log, so that SQLite takes nothing for committed that is not
  /// (<https://sqlite.org/fileformat2.html#walread>). To be called in a write transaction: nobody else writes to the log then. Where there
  /// is no room, nothing is said: the commit will.
  ///
  /// - Parameter largest: Bytes that the file is not to exceed.
  public func growWriteAheadLog(upTo largest: Int) {
    let end = WriteAheadFile.headerSize + writeAheadPages * WriteAheadFile.frameSize
    // A file that is written a few times only stays small.
    guard writeAheadPages >= WriteAheadFile.reach,
      end + WriteAheadFile.reach * WriteAheadFile.frameSize > writeAheadFile.size
    else { return }
    writeAheadFile.grow(beyond: end, upTo: largest, on: handle)
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

/// The file of the write-ahead log, as of when it was last looked at.
struct WriteAheadFile {
  // See https://sqlite.org/fileformat2.html#the_write_ahead_log.
  static let headerSize = 32
  static let frameSize = 24 + 4096
  /// The pages that most commits write at most.
  static let reach = 16
  /// The bytes by which the file grows: more would take longer than a commit may.
  private static let step = 256 << 10
  /// As many bytes as are written at a time: SQLite's file systems take less than 128 KiB (`seekAndWriteFd`, os_unix.c).
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  private(set) var size = 0

  /// Makes the file longer, unless it is long enough.
  mutating func grow(beyond end: Int, upTo largest: Int, on handle: OpaquePointer) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods
    else { return }
    var present: Int64 = 0
    guard methods.pointee.xFileSize(file, &present) == SQLITE_OK else { return }
    size = Int(present)
    guard size < end + Self.reach * Self.frameSize, size + Self.step <= largest else { return }
    for _ in 0..<Self.step / Self.zeros.count {
      guard methods.pointee.xWrite(file, Self.zeros, Int32(Self.zeros.count), Int64(size)) == SQLITE_OK
      else { return }
      size += Self.zeros.count
    }
  }
}
