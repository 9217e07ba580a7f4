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

  /// The result code without its extension.
  public var primaryCode: Int32 { code & 0xff }
}
