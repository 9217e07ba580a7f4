public import CGatehouseSQLite
internal import Glibc

/// SQLite's preupdate hook and what it can be asked, looked up in the library when it is first needed: not every libsqlite3
/// is built with it, and its header declares it only where that is known
/// (<https://sqlite.org/c3ref/preupdate_blobwrite.html>).
struct RowHook: Sendable {
  typealias Callback =
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      sqlite3_int64, sqlite3_int64
    ) -> Void

  typealias Register =
    @convention(c) (
      OpaquePointer?, Callback?, UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer?

  typealias Count = @convention(c) (OpaquePointer?) -> Int32

  typealias Read =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  /// Nil: the library has no hook.
  static let shared: RowHook? = RowHook()

  let register: Register
  let count: Count
  let old: Read
  let new: Read

  private init?() {
    // RTLD_DEFAULT, which is a cast and so not imported.
    func find(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
    guard let register = find("sqlite3_preupdate_hook"), let count = find("sqlite3_preupdate_count"),
      let old = find("sqlite3_preupdate_old"), let new = find("sqlite3_preupdate_new")
    else { return nil }
    self.register = unsafeBitCast(register, to: Register.self)
    self.count = unsafeBitCast(count, to: Count.self)
    self.old = unsafeBitCast(old, to: Read.self)
    self.new = unsafeBitCast(new, to: Read.self)
  }
}

/// A row that is about to be inserted, updated or deleted. Valid during the call that it is given to.
public struct RowUpdate {
  public enum Kind {
    case insert
    case update
    case delete
  }

  public let kind: Kind
  /// The name of the table, which ends with a zero.
  public let table: UnsafePointer<CChar>
  /// The rowid of an existing row; of a new one, its own. Nothing in tables without rowid.
  public let rowid: Int64
  /// The rowid that an update gives, and that of a new row.
  public let newRowid: Int64
  private let connection: OpaquePointer
  private let hook: RowHook

  fileprivate init(
    _ kind: Kind, table: UnsafePointer<CChar>, rowids: (Int64, Int64), on connection: OpaquePointer,
    by hook: RowHook
  ) {
    self.kind = kind
    self.table = table
    (rowid, newRowid) = rowids
    self.connection = connection
    self.hook = hook
  }

  /// The number of columns of the table.
  public var columnCount: Int { Int(hook.count(connection)) }

  /// Returns a value that an update or a deletion replaces; nil: there is no memory for it.
  public func old(_ column: Int) -> RowColumn? { read(hook.old, column) }

  /// Returns a value that an update or an insertion brings; nil: there is no memory for it.
  public func new(_ column: Int) -> RowColumn? { read(hook.new, column) }

  private func read(_ read: RowHook.Read, _ column: Int) -> RowColumn? {
    var value: OpaquePointer?
    guard read(connection, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK, let value else {
      return nil
    }
    return RowColumn(value: value)
  }
}

/// A value of a row that is about to change. Valid as long as the row is.
public struct RowColumn {
  @usableFromInline let value: OpaquePointer

  @inlinable
  public var storageClass: Statement.StorageClass {
    Statement.StorageClass(rawValue: sqlite3_value_type(value)) ?? .null
  }

  @inlinable public var int64: Int64 { sqlite3_value_int64(value) }

  @inlinable public var double: Double { sqlite3_value_double(value) }

  /// The bytes of a text or blob.
  @inlinable
  public var bytes: UnsafeRawBufferPointer {
    let base = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

/// The functions that are told of the rows that a connection changes.
final class RowObserver {
  fileprivate let hook: RowHook
  fileprivate let willRun: (UnsafePointer<CChar>) -> Void
  fileprivate let willChange: (RowUpdate) -> Void
  fileprivate let didFail: () -> Void

  fileprivate init(
    _ hook: RowHook, willRun: @escaping (UnsafePointer<CChar>) -> Void,
    willChange: @escaping (RowUpdate) -> Void, didFail: @escaping () -> Void
  ) {
    self.hook = hook
    self.willRun = willRun
    self.willChange = willChange
    self.didFail = didFail
  }
}

extension Connection {
  /// Calls `willChange` before each row of the main database is inserted, updated or deleted, and `willRun` before each
  /// statement that may write, with its text. False: the library has no hook for that.
  ///
  /// To be called before statements are prepared: SQLite clears a whole table at once, and tells nobody, where no hook was
  /// there when the statement was compiled.
  ///
  /// - Parameter didFail: Called when a statement has failed, and its changes were undone (``didFail(_:)``).
  public func observeRows(
    willRun: @escaping (UnsafePointer<CChar>) -> Void, willChange: @escaping (RowUpdate) -> Void,
    didFail: @escaping () -> Void
  ) -> Bool {
    precondition(rowObserver == nil, "the rows of a connection have one observer")
    guard let hook = RowHook.shared else { return false }
    let observer = RowObserver(hook, willRun: willRun, willChange: willChange, didFail: didFail)
    rowObserver = observer
    let context = Unmanaged.passUnretained(observer).toOpaque()
    _ = hook.register(handle, Connection.willChange, context)
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, text in
        guard let context, let statement, let text,
          sqlite3_stmt_readonly(OpaquePointer(statement)) == 0
        else { return 0 }
        let sql = UnsafePointer(text.assumingMemoryBound(to: CChar.self))
        // A trigger tells of itself by a comment.
        if sql[0] == 0x2D { return 0 }
        Unmanaged<RowObserver>.fromOpaque(context).takeUnretainedValue().willRun(sql)
        return 0
      }, context)
    return true
  }

  private static let willChange: RowHook.Callback = {
    context, connection, operation, database, table, old, new in
    // `main`, not `temp`.
    guard let context, let connection, let database, let table, database[0] == 0x6D else { return }
    let observer = Unmanaged<RowObserver>.fromOpaque(context).takeUnretainedValue()
    let kind: RowUpdate.Kind =
      operation == SQLITE_INSERT ? .insert : operation == SQLITE_UPDATE ? .update : .delete
    observer.willChange(
      RowUpdate(kind, table: table, rowids: (old, new), on: connection, by: observer.hook))
  }

  /// Tells whoever observes rows that a statement has failed: SQLite has undone what it changed.
  public func didFail(_ statement: Statement) {
    if let rowObserver, sqlite3_stmt_readonly(statement.handle) == 0 { rowObserver.didFail() }
  }

  /// Runs triggers, or leaves rows as they are written.
  public func setTriggers(_ areOn: Bool) {
    _ = gatehouse_sqlite_enable_triggers(handle, areOn ? 1 : 0)
  }

  func stopObservingRows() {
    guard let rowObserver else { return }
    _ = rowObserver.hook.register(handle, nil, nil)
    sqlite3_trace_v2(handle, 0, nil, nil)
  }
}
