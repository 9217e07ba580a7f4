public import GatehouseModel
import GatehouseSQLite
import Glibc

/// A store seen from outside as it is at one moment, without its lock: a server may be using it meanwhile.
///
/// As long as the value lives, the server's write-ahead log cannot begin anew. Used by one thread.
public final class StoreSnapshot {
  let connection: Connection
  let session: ReadSession

  public init(directory: String) throws(StorageError) {
    let path = "\(directory)/gatehouse.db"
    guard access(path, F_OK) == 0 else { throw .storeNotFound(directory) }
    // On a disk that is read-only, a reader cannot make the files that others would see it by: there are no others.
    let isImmutable = access(directory, W_OK) != 0 && access("\(path)-wal", F_OK) != 0
    connection = try DatabaseFile.openReader(path, mode: isImmutable ? .immutable : .readOnly)
    // A server that closes its last connection holds the file for a moment.
    connection.waitForLocks(milliseconds: 5000)
    try DatabaseFile.examine(connection, path: path)
    do { try connection.execute(TransactionStatements.beginReading) } catch { throw StorageError(error) }
    session = ReadSession(connection, catalog: try CatalogTables(connection).load().catalog, isHeld: true)
  }

  /// The schema.
  public var schema: Schema { session.catalog.schema }
}
