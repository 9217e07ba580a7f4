public import CGatehouseSQLite

/// A compiled statement, with the values bound to it and the row that it stands on.
///
/// Parameters are numbered from 1, columns from 0, as in SQLite. What ``text(at:)`` and ``blob(at:)`` give is
/// valid until the next ``step()`` or ``reset()``.
///
/// It does not hold its connection, which may hold it (``Connection/cached(_:)``): whoever steps it keeps the
/// connection.
public final class Statement {
  /// The storage class of a column's value (<https://sqlite.org/datatype3.html>).
  public enum StorageClass: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  @usableFromInline let handle: OpaquePointer
  /// Why a value could not be bound, if one could not.
  @usableFromInline var bindingFailure = SQLITE_OK

  @usableFromInline
  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Goes to the next row; false if there is none, and then the statement has been reset.
  @inlinable
  public func step() throws(DatabaseError) -> Bool {
    guard bindingFailure == SQLITE_OK else { throw takeBindingFailure() }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return false
    }
    let error = DatabaseError(code: code, on: sqlite3_db_handle(handle))
    sqlite3_reset(handle)
    throw error
  }

  /// Runs a statement that gives no rows, and resets it.
  @inlinable
  public func run() throws(DatabaseError) {
    while try step() {}
  }

  /// Ends the reading of rows, so that the statement no longer holds a snapshot. Bound values stay.
  @inlinable
  public func reset() {
    sqlite3_reset(handle)
  }

  /// The statement's text.
  public var sql: String {
    String(cString: sqlite3_sql(handle))
  }

  /// Notes what has become of a binding. A value that is too large, or for which there is no memory, makes ``step()`` throw: SQLite has
  /// bound NULL in its place.
  @inlinable
  func check(_ code: Int32) {
    if code == SQLITE_OK { return }
    precondition(
      code == SQLITE_TOOBIG || code == SQLITE_NOMEM,
      "a value is bound to a parameter, of a statement that has been reset")
    bindingFailure = code
  }

  @usableFromInline
  func takeBindingFailure() -> DatabaseError {
    defer { bindingFailure = SQLITE_OK }
    return DatabaseError(code: bindingFailure, message: String(cString: sqlite3_errstr(bindingFailure)))
  }

  @inlinable
  public func bindNull(at index: Int32) {
    check(sqlite3_bind_null(handle, index))
  }

  @inlinable
  public func bind(_ value: Int64, at index: Int32) {
    check(sqlite3_bind_int64(handle, index, value))
  }

  /// A NaN becomes NULL: SQLite has none.
  @inlinable
  public func bind(_ value: Double, at index: Int32) {
    check(sqlite3_bind_double(handle, index, value))
  }

  @inlinable
  public func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { bind(text: $0, at: index) }
  }

  /// Copies the text, which is well-formed UTF-8.
  @inlinable
  public func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
    // An empty buffer may have no address, and SQLite binds NULL for a null pointer.
    guard let base = text.baseAddress else {
      return check(
        sqlite3_bind_text64(handle, index, "", 0, gatehouse_sqlite_static(), UInt8(SQLITE_UTF8)))
    }
    base.withMemoryRebound(to: CChar.self, capacity: text.count) {
      check(
        sqlite3_bind_text64(
          handle, index, $0, UInt64(text.count), gatehouse_sqlite_transient(), UInt8(SQLITE_UTF8)))
    }
  }

  /// Copies the bytes.
  @inlinable
  public func bind(blob: UnsafeBufferPointer<UInt8>, at index: Int32) {
    guard let base = blob.baseAddress else {
      return check(sqlite3_bind_zeroblob(handle, index, 0))
    }
    check(sqlite3_bind_blob64(handle, index, base, UInt64(blob.count), gatehouse_sqlite_transient()))
  }

  @inlinable
  public func bind(blob: [UInt8], at index: Int32) {
    blob.withUnsafeBufferPointer { bind(blob: $0, at: index) }
  }

  /// The number of columns of every row.
  @inlinable
  public var columnCount: Int32 {
    sqlite3_column_count(handle)
  }

  @inlinable
  public func storageClass(at column: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  @inlinable
  public func isNull(at column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  @inlinable
  public func int64(at column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  @inlinable
  public func double(at column: Int32) -> Double {
    sqlite3_column_double(handle, column)
  }

  /// UTF-8; empty for NULL.
  @inlinable
  public func text(at column: Int32) -> UnsafeBufferPointer<UInt8> {
    // The order of the two calls matters: the length is that of the representation asked for last.
    let base = sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  @inlinable
  public func blob(at column: Int32) -> UnsafeBufferPointer<UInt8> {
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeBufferPointer(
      start: base?.assumingMemoryBound(to: UInt8.self), count: base == nil ? 0 : count)
  }

  @inlinable
  public func string(at column: Int32) -> String {
    String(decoding: text(at: column), as: UTF8.self)
  }

  @inlinable
  public func bytes(at column: Int32) -> [UInt8] {
    Array(blob(at: column))
  }
}
