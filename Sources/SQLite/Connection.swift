internal import CGatehouseSQLite

/// One connection to a database file, for one thread at a time.
///
/// It is opened without SQLite's own mutex: whoever owns the connection serialises its use, so there is no
/// purpose in paying for a lock at every call.
public final class Connection {
  /// The access that a connection has to the file.
  public enum Mode: Sendable {
    case readOnly
    /// Reads a file that nobody can change: where no lock can be taken, and no file be made beside it (SQLite's
    /// `immutable=1`).
    case immutable
    /// Creates the file where there is none.
    case readWrite
  }

  /// SQLite's settings for the whole process, made before the first connection.
  private static let configuration: Int32 = gatehouse_sqlite_configure()

  @usableFromInline let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// The pages in the write-ahead log as of the last commit through this connection, once
  /// ``observeWriteAheadLog()`` was called.
  public internal(set) var writeAheadPages = 0
  /// The commits through this connection that have written to the log, counted as ``writeAheadPages`` is.
  public internal(set) var loggedCommits = 0
  /// The file of the write-ahead log, where this connection makes it longer.
  var writeAheadFile = WriteAheadFile()
  /// The observer of the rows that change; nil: there is none.
  var rowObserver: RowObserver?
  /// The conditions that stop statements, in force once ``obeyLimits()`` was called.
  public var limits = ConnectionLimits()

  /// - Parameter isAlone: No other process may have the file. Then the index of the write-ahead log is in memory, and takes
  ///   no room on the disk; all connections of the process have to say so (<https://sqlite.org/vfs.html>, unix-excl).
  public init(path: String, mode: Mode, isAlone: Bool = false) throws(DatabaseError) {
    _ = Self.configuration
    var handle: OpaquePointer?
    let access =
      switch mode {
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let name = mode == .immutable ? Self.immutableName(path) : path
    let code = sqlite3_open_v2(
      name, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, isAlone ? "unix-excl" : nil)
    guard code == SQLITE_OK, let handle else {
      let message =
        handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      throw DatabaseError(code: code, message: message)
    }
    self.handle = handle
  }

  /// Opens a new database on a file system that is registered under that name.
  init(onFileSystem name: String) throws(DatabaseError) {
    _ = Self.configuration
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      "pages", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, name)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
    }
    self.handle = handle
  }

  /// See <https://sqlite.org/uri.html>.
  private static func immutableName(_ path: String) -> String {
    var name = "file:"
    for character in path {
      switch character {
      case "%": name += "%25"
      case "?": name += "%3f"
      case "#": name += "%23"
      default: name.append(character)
      }
    }
    return name + "?immutable=1"
  }

  deinit {
    // Statements that outlive the connection keep it as a zombie until they are finalised; what would look at this
    // object goes now.
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_wal_hook(handle, nil, nil)
    stopObservingRows()
    sqlite3_close_v2(handle)
  }

  /// Runs statements that give no rows.
  public func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Compiles one statement.
  public func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return Statement(statement)
  }

  /// A compiled statement from this connection's cache, reset and ready to be bound.
  ///
  /// The cache never shrinks by itself: its text must come from the schema, not from requests.
  public func cached(_ sql: String) throws(DatabaseError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Forgets all cached statements, as is needed before tables change.
  public func clearCache() {
    statements = [:]
  }

  /// Sets how long calls wait for locks that other connections hold; 0: not at all.
  public func waitForLocks(milliseconds: Int32) {
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Has the calls of `body` wait for locks that other connections hold, and later ones not.
  public func waitingForLocks<Failure: Error>(
    milliseconds: Int32, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    waitForLocks(milliseconds: milliseconds)
    defer { waitForLocks(milliseconds: 0) }
    try body()
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool {
    sqlite3_get_autocommit(handle) == 0
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  public var changes: Int {
    Int(sqlite3_changes64(handle))
  }

  /// The number of rows that all INSERTs, UPDATEs and DELETEs through this connection have changed.
  public var totalChanges: Int {
    Int(sqlite3_total_changes64(handle))
  }

  func error(_ code: Int32) -> DatabaseError {
    DatabaseError(code: code, on: handle)
  }
}
