import GatehouseModel
import GatehouseSQLite
import GatehouseSharing

/// One connection and the catalog that its statements were made for.
///
/// Readers of rows hold their session unowned: it owns them, through its caches.
final class ReadSession {
  /// Which names properties have in what is written.
  enum Naming {
    case client
    case stored
  }

  let connection: Connection
  let catalog: Catalog
  let naming: Naming
  /// Counts the answers: bytes of one are nowhere in another.
  var answer = 0
  /// Who wants to know which objects are written; nil: nobody.
  var observer: ReadTracker?

  /// Whether all reads are of one state of the file, from ``didBegin()`` to ``willEnd()``.
  private(set) var isHeld = false
  /// Why the state that is held is gone, if it is.
  private var loss: StorageError?

  /// How many parts of objects have been read by themselves.
  private var parts: UInt64 = 0

  /// The embedded objects that may lie inside each other: more than requests make, and than images are read of. Where a damaged file has
  /// one inside of itself, there are more.
  static let deepest = 256
  /// How many of them are being read.
  private var depth = 0

  /// In bytes of SQL; a statement takes a few times as much.
  private var recent = GenerationalCache<String, Statement>(budget: 2 << 20)

  /// - Parameter isHeld: The connection has a transaction open, in which the catalog was read.
  init(_ connection: Connection, catalog: Catalog, naming: Naming = .client, isHeld: Bool = false) {
    self.connection = connection
    self.catalog = catalog
    self.naming = naming
    self.isHeld = isHeld
  }

  /// Compiles a statement that whoever asked for it keeps.
  func prepare(_ sql: String) throws(StorageError) -> Statement {
    do { return try connection.prepare(sql) } catch { throw StorageError(error) }
  }

  /// A statement from the connection's cache; `sql` comes from the schema, not from requests.
  func cached(_ sql: String) throws(StorageError) -> Statement {
    do { return try connection.cached(sql) } catch { throw StorageError(error) }
  }

  /// A statement from a bounded cache, for what comes from requests. Whoever asked for it resets it.
  func recent(_ sql: String) throws(StorageError) -> Statement {
    if let statement = recent[sql] { return statement }
    let statement = try prepare(sql)
    recent.add(statement, for: sql, cost: sql.utf8.count + 1024)
    return statement
  }

  /// The name that a property has in what is written.
  func name(of property: Property) -> String {
    switch naming {
    case .client: property.name
    case .stored: property.storedName
    }
  }

  /// Counts a read of one object or its elements, whose statement is too short for SQLite to look at the connection's
  /// limits: a page may need any number of them.
  @inline(__always)
  func countPart() throws(StorageError) {
    parts &+= 1
    if parts & 127 == 0, connection.mustStop { throw .timeLimit }
  }

  /// Reads an embedded object; throws where they lie too deep inside each other.
  func enterEmbedded(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    guard depth < Self.deepest else { throw .corrupt("embedded objects") }
    depth += 1
    defer {
      depth -= 1
      precondition(depth >= 0, "what was entered is left once")
    }
    try body()
  }

  /// Counts bytes that are copied like reads of so many objects as they would be.
  func countParts(ofBytes count: Int) throws(StorageError) {
    for _ in 0...(count >> 9) { try countPart() }
  }

  /// Goes to the statement's next row.
  @inline(__always)
  func step(_ statement: Statement) throws(StorageError) -> Bool {
    if let loss { throw loss }
    do { return try statement.step() } catch {
      connection.didFail(statement)
      throw failure(error)
    }
  }

  /// SQLite rolls a transaction back when a page cannot be read (<https://sqlite.org/lang_transaction.html>, “Response To Errors Within
  /// A Transaction”): what came after it would be read from another state of the file.
  private func failure(_ error: DatabaseError) -> StorageError {
    let failure = StorageError(error)
    if isHeld, !connection.isInTransaction { loss = failure }
    return failure
  }

  /// A transaction was opened: from now on reads are of the state that it sees, or fail.
  func didBegin() {
    precondition(!isHeld && connection.isInTransaction, "one state of the file is held at a time")
    isHeld = true
  }

  /// The transaction is about to be ended.
  func willEnd() { (isHeld, loss) = (false, nil) }

  /// Whether the state that is held is gone: all reads fail.
  var isLost: Bool { loss != nil }

  /// The first column of the first row, as an integer; nil where there is no row. Resets the statement.
  func integer(_ statement: Statement) throws(StorageError) -> Int64? {
    defer { statement.reset() }
    return try step(statement) ? statement.int64(at: 0) : nil
  }
}
