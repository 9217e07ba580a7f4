public import GatehouseBSON
import GatehouseSQLite
import Glibc

/// Makes a store's file as small as its content allows, and sets right what a wrong clock left in it.
public enum Compaction {
  /// The outcome of compacting; sizes are in bytes.
  public struct Outcome: Hashable, Sendable {
    public let sizeBefore: Int
    public let sizeAfter: Int
    /// Commits that were later than now, and are now.
    public let correctedTimes: Int
  }

  /// Rewrites the file of a directory that no other process has. It takes up to twice the file's size on the disk
  /// meanwhile.
  ///
  /// Commits later than `now`, made while the clock was ahead, get that time: it is what keeps the times of later
  /// commits, and removal from the log by age, from going on.
  public static func run(directory: String, now: Date = .now) throws(StorageError) -> Outcome {
    guard access("\(directory)/gatehouse.db", F_OK) == 0 else { throw .storeNotFound(directory) }
    let directory = try DataDirectory(directory)
    let connection = try DatabaseFile.openWriter(directory.database)
    try DatabaseFile.prepare(connection, path: directory.database)
    // Rows without a key may get other rowids, by which the members of a cluster know them.
    guard try Replication.point(in: connection) == nil else {
      throw .clusterMember(directory: directory.path)
    }
    do throws(DatabaseError) {
      try connection.checkpoint(.truncate)
      let before = size(of: directory.database)
      let correctedTimes = try correctTimes(on: connection, now)
      try connection.execute("VACUUM")
      try connection.checkpoint(.truncate)
      directory.release()
      return Outcome(
        sizeBefore: before, sizeAfter: size(of: directory.database), correctedTimes: correctedTimes)
    } catch {
      throw StorageError(error)
    }
  }

  /// Returns the bytes of the file of a directory's store, and those of them that are in use.
  public static func size(ofStoreIn directory: String) throws(StorageError) -> (total: Int, used: Int) {
    let snapshot = try StoreSnapshot(directory: directory)
    func number(_ sql: String) throws(StorageError) -> Int {
      Int(try snapshot.session.integer(try snapshot.session.cached(sql)) ?? 0)
    }
    let (size, count) = (try number(FileStatements.pageSize), try number(FileStatements.pages))
    return (size * count, size * (count - (try number(FileStatements.freePages))))
  }

  /// Rewrites the file of a connection while others read it. They go on with the file as they see it; what is written meanwhile waits.
  static func rewrite(_ connection: Connection, _ sync: LogSync) throws(DatabaseError) -> Outcome {
    let before = try size(of: connection)
    do throws(DatabaseError) { try connection.execute("VACUUM") } catch {
      sync.note(StorageError(error))
      throw error
    }
    // The file gets smaller when the log is moved into it, for which readers may have to go on first.
    try sync.checkpoint(connection, .passive)
    return Outcome(sizeBefore: before, sizeAfter: try size(of: connection), correctedTimes: 0)
  }

  private static func size(of connection: Connection) throws(DatabaseError) -> Int {
    let statement = try connection.prepare(
      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    return try statement.step() ? Int(statement.int64(at: 0)) : 0
  }

  private static func correctTimes(on connection: Connection, _ now: Date) throws(DatabaseError) -> Int {
    let statement = try connection.prepare("UPDATE _commits SET time = ?1 WHERE time > ?1")
    statement.bind(now.storedText, at: 1)
    let before = connection.totalChanges
    while try statement.step() {}
    return connection.totalChanges - before
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
