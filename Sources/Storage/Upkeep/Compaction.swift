import Glibc
import SQLite

/// Makes a store's file as small as its content allows.
public enum Compaction {
  /// Rewrites the file of a directory that no other process has, and tells its size in bytes before and after.
  /// It takes up to twice the file's size on the disk meanwhile.
  public static func run(directory: String) throws(StorageError) -> (before: Int, after: Int) {
    guard access("\(directory)/gatehouse.db", F_OK) == 0 else { throw .storeNotFound(directory) }
    let directory = try DataDirectory(directory)
    let connection = try DatabaseFile.openWriter(directory.database)
    try DatabaseFile.prepare(connection, path: directory.database)
    do throws(DatabaseError) {
      try connection.checkpoint(.truncate)
      let before = size(of: directory.database)
      try connection.execute("VACUUM")
      try connection.checkpoint(.truncate)
      directory.release()
      return (before, size(of: directory.database))
    } catch {
      throw StorageError(error)
    }
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
