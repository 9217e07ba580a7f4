import GatehouseSQLite
import Testing

@Suite struct ConnectionTests {
  private func memory() throws -> Connection {
    try Connection(path: ":memory:", mode: .readWrite)
  }

  @Test func `a cached statement is the same one, reset, until the cache is cleared`() throws {
    let connection = try memory()
    let first = try connection.cached("SELECT 1 UNION SELECT 2")
    #expect(try first.step())
    let second = try connection.cached("SELECT 1 UNION SELECT 2")
    #expect(first === second)
    #expect(try second.step())
    #expect(second.int64(at: 0) == 1)
    connection.clearCache()
    #expect(try connection.cached("SELECT 1 UNION SELECT 2") !== first)
  }

  @Test func `changed rows are counted, the last statement's and all`() throws {
    let connection = try memory()
    try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)")
    try connection.execute("DELETE FROM t WHERE v > 1")
    #expect((connection.changes, connection.totalChanges) == (2, 5))
  }

  @Test func `a transaction is open from BEGIN to its end`() throws {
    let connection = try memory()
    #expect(!connection.isInTransaction)
    try connection.execute("BEGIN")
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(!connection.isInTransaction)
  }

  @Test func `a file that is not there is not opened for reading`() {
    #expect(throws: DatabaseError(code: 14, message: "unable to open database file")) {
      try Connection(path: "/nowhere/gatehouse.db", mode: .readOnly)
    }
  }

  @Test func `an extended code has its primary one`() {
    #expect(DatabaseError(code: 2067, message: "").primaryCode == 19)
  }

  @Test func `bound values stay when a statement is reset`() throws {
    let statement = try memory().prepare("SELECT ?1")
    statement.bind(Int64(7), at: 1)
    #expect(try statement.step())
    statement.reset()
    #expect(try statement.step())
    #expect(statement.int64(at: 0) == 7)
    #expect((statement.columnCount, statement.sql) == (1, "SELECT ?1"))
  }

  @Test func `a NaN is bound as NULL`() throws {
    let statement = try memory().prepare("SELECT ?1")
    statement.bind(Double.nan, at: 1)
    #expect(try statement.step())
    #expect(statement.isNull(at: 0))
  }
}
