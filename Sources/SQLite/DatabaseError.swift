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

  /// The result code without its extension.
  public var primaryCode: Int32 { code & 0xff }
}
