import GatehouseSQLite
import Glibc

extension StoreSnapshot {
  /// Pages that are copied between two reports: 4 MiB.
  private static let step: Int32 = 1024

  /// The version of the last commit; 0 where there has been none.
  public func version() throws(StorageError) -> Int64 {
    try session.integer(try session.prepare(LogStatements.lastVersion)) ?? 0
  }

  /// Whether the gateway keeps anything there beside records of a kind: keys, roles, users.
  public func hasRecords(besidesKind kind: String) throws(StorageError) -> Bool {
    let statement = try session.prepare(RecordStatements.ofOtherKind)
    statement.bind(kind, at: 1)
    return try session.integer(statement) != nil
  }

  /// Copies the store into a file, in the place of whatever is there: it is complete and on the disk when this returns, and
  /// there is none where it throws. `progress` is told how many bytes have been copied, of how many.
  public func copy(
    to path: String, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StorageError) {
    unlink(path)
    do throws(StorageError) {
      try write(to: path, progress)
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
      throw error
    }
  }

  private func write(
    to path: String, _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StorageError) {
    PrivateFiles.create(path)
    do throws(DatabaseError) {
      let copy = try Connection(path: path, mode: .readWrite)
      try copy.execute("PRAGMA synchronous = FULL")
      let backup = try Backup(from: connection, to: copy)
      var more = true
      while more {
        more = try backup.step(pages: StoreSnapshot.step)
        let total = backup.pageCount
        progress((total - backup.remaining) * 4096, total * 4096)
      }
    } catch {
      throw StorageError(error)
    }
    try StoreSnapshot.synchronize(path)
  }

  /// Has what was written to a file, or the names in a folder, be on the disk.
  static func synchronize(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .notWritable(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .notWritable(path) }
  }
}

extension StoreSnapshot {
  /// The place in the transaction log that the file has come to; nil: it belongs to no cluster.
  public func replicationPoint() throws(StorageError) -> ReplicationPoint? {
    try Replication.point(in: connection)
  }
}
