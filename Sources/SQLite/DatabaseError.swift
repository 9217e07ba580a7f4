internal import CGatehouseSQLite

/// SQLite's answer to a call that failed: extended result code and message.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The extended result code; see <https://sqlite.org/rescode.html>.
  public let code: Int32
  /// SQLite's own words, which may name tables and columns but never bound values.
  public let message: String

  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// Makes the error of a code that the connection has just returned, with its message.
  @usableFromInline
  init(code: Int32, on connection: OpaquePointer?) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(connection)))
  }

  /// SQLITE_BUSY: another connection has a lock.
  public static let busy: Int32 = 5
  /// SQLITE_IOERR.
  public static let ioError: Int32 = 10
  /// SQLITE_SCHEMA: the schema is not that of the statement any more.
  public static let staleSchema: Int32 = 17

  /// The result code without its extension.
  public var primaryCode: Int32 { code & 0xff }
}
