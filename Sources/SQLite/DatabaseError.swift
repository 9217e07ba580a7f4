internal import CSQLite

/// What SQLite answered instead of what was asked for.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The extended result code; see <https://sqlite.org/rescode.html>.
  public let code: Int32
  /// SQLite's own words, which may name tables and columns but never bound values.
  public let message: String

  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// What the connection says of the code that it has just given.
  @usableFromInline
  init(code: Int32, on connection: OpaquePointer?) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(connection)))
  }

  /// The result code without its extension.
  public var primaryCode: Int32 { code & 0xff }
}
