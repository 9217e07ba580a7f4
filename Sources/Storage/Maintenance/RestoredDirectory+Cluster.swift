import GatehouseSQLite
import Glibc

extension RestoredDirectory {
  /// Has the store in ``staging`` belong to no cluster: what its members write from now on does not reach it.
  public func leaveCluster() throws(StorageError) {
    let path = "\(staging)/gatehouse.db"
    if access(path, F_OK) == 0 { try ClusterDeparture.perform(path) }
  }
}

/// Has the store of a data directory belong to no cluster any more.
public enum ClusterDeparture {
  /// Throws where another process has the directory, or there is no store.
  public static func run(directory: String) throws(StorageError) {
    guard access("\(directory)/gatehouse.db", F_OK) == 0 else { throw .storeNotFound(directory) }
    let directory = try DataDirectory(directory)
    defer { directory.release() }
    try DatabaseFile.examine(
      try DatabaseFile.openReader(directory.database, mode: .readOnly), path: directory.database)
    try perform(directory.database)
  }

  fileprivate static func perform(_ path: String) throws(StorageError) {
    do throws(DatabaseError) {
      try Connection(path: path, mode: .readWrite).execute(ReplicationStatements.removePoint)
    } catch {
      throw StorageError(error)
    }
  }
}
