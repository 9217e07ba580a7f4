import GatehouseSQLite
import Glibc

/// A copy of another store's file that is to take the place of a data directory's, which nobody has open until it does.
public struct StoreReplacement: ~Copyable {
  private let directory: DataDirectory
  /// The file that the copy is written to.
  public let path: String

  /// Creates the data directory where there is none, and locks it.
  public init(in directory: String) throws(StorageError) {
    self.directory = try DataDirectory(directory)
    path = "\(directory)/gatehouse.db.partial"
    unlink(path)
    PrivateFiles.create(path)
  }

  /// Puts the copy, which is complete, in the place of the store. Throws ``StorageError/unknownFormat(_:)`` where it is none: then the
  /// store stays.
  public consuming func finish() throws(StorageError) {
    try StoreSnapshot.synchronize(path)
    do {
      let connection = try DatabaseFile.openReader(path, mode: .readOnly)
      try DatabaseFile.examine(connection, path: path)
    }
    let database = directory.database
    for suffix in ["-wal", "-shm", "-journal"] {
      unlink(path + suffix)
      unlink(database + suffix)
    }
    guard rename(path, database) == 0 else { throw .notWritable(database) }
    try StoreSnapshot.synchronize(directory.path)
    directory.release()
  }

  deinit { unlink(path) }
}
