internal import CGatehouseSQLite

/// A copy of a database, page by page, while others may use it (<https://sqlite.org/backup.html>).
///
/// A source that is inside a read transaction is copied as it was when that began: writers do not make the copy
/// start anew.
public struct Backup: ~Copyable {
  private let handle: OpaquePointer
  private let source: Connection
  private let destination: Connection

  public init(from source: Connection, to destination: Connection) throws(DatabaseError) {
    guard let handle = sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
      throw destination.error(sqlite3_errcode(destination.handle))
    }
    self.handle = handle
    self.source = source
    self.destination = destination
  }

  deinit {
    sqlite3_backup_finish(handle)
  }

  /// All pages of the source, known after the first step.
  public var pageCount: Int { Int(sqlite3_backup_pagecount(handle)) }

  /// The pages that are still to be copied.
  public var remaining: Int { Int(sqlite3_backup_remaining(handle)) }

  /// Copies so many pages; false if all are copied.
  public func step(pages: Int32) throws(DatabaseError) -> Bool {
    let code = sqlite3_backup_step(handle, pages)
    if code == SQLITE_DONE {
      precondition(remaining == 0, "a copy that is done has all pages")
      return false
    }
    guard code == SQLITE_OK else {
      throw DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
    }
    return true
  }
}
