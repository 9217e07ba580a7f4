import GatehouseSQLite
import Glibc

extension RestoredDirectory {
  /// Has the store in ``staging`` belong to no cluster: what its members write from now on does not reach it.
  public func leaveCluster() throws(StorageError) {
    let path = "\(staging)/gatehouse.db"
    guard access(path, F_OK) == 0 else { return }
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.execute("DELETE FROM _meta WHERE name = 'replication_point'")
    } catch {
      throw StorageError(error)
    }
  }
}
