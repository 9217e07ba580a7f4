import GatehouseSQLite
import Glibc

extension StoreSnapshot {
  /// Pages that are copied between two reports: 4 MiB.
  private static let step: Int32 = 1024

  /// Copies the store into a directory, which is created, and must not hold one. `progress` is told how many bytes
  /// have been copied, of how many.
  ///
  /// The copy has its name only when it is complete and on the disk.
  public func backup(
    to directory: String, progress: (_ done: Int, _ total: Int) -> Void
  ) throws(StorageError) {
    let target = "\(directory)/gatehouse.db"
    let partial = "\(target).partial"
    guard access(target, F_OK) != 0 else { throw .backupExists(directory) }
    try DataDirectory.create(directory)
    unlink(partial)
    do throws(StorageError) {
      try copy(to: partial, progress)
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(partial + suffix) }
      throw error
    }
    guard rename(partial, target) == 0 else { throw .notWritable(directory) }
    try synchronize(directory)
  }

  private func copy(
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
    try synchronize(path)
  }

  private func synchronize(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .notWritable(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .notWritable(path) }
  }
}
