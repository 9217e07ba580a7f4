import GatehouseSQLite

/// A statement that is compiled when it is first needed.
struct DeferredStatement {
  private let sql: String
  private var statement: Statement?

  init(_ sql: String) {
    self.sql = sql
  }

  /// Returns the statement, compiled in the session that is always the same.
  mutating func compiled(in session: ReadSession) throws(StorageError) -> Statement {
    if let statement { return statement }
    let statement = try session.prepare(sql)
    self.statement = statement
    return statement
  }
}
