import GatehouseSQLite
import Testing

@testable import GatehouseStorage

/// Rows that are written down as a connection changes them, and applied to another file.
@Suite struct RowCaptureTests {
  private let source: Connection
  private let session: ReadSession
  private let capture: RowCapture
  private let copy: Connection

  private static let tables = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER UNIQUE); CREATE TABLE u (a TEXT)
    """

  init() throws {
    source = try Connection(path: ":memory:", mode: .readWrite)
    copy = try Connection(path: ":memory:", mode: .readWrite)
    capture = try RowCapture(of: source, limit: 1 << 20)
    for connection in [source, copy] { try connection.execute(Self.tables) }
    session = ReadSession(source, catalog: Catalog(generation: 0, tables: []))
  }

  private func run(_ sql: String) throws {
    let statement = try session.prepare(sql)
    while try session.step(statement) {}
  }

  /// Applies what was written down.
  private func apply() throws {
    #expect(!capture.hasFailed)
    let part = TransactionPart(number: 0, isLast: true, base: 0, version: 0, records: capture.bytes)
    let applier = TransactionApplier(copy) { _ in }
    applier.begin(at: 0)
    try applier.apply(part)
    applier.end(isRolledBack: false)
  }

  private func rows(_ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT 't' || id || '=' || n FROM t UNION ALL SELECT 'u' || rowid || '=' || a FROM u ORDER BY 1")
    var rows: [String] = []
    while try statement.step() { rows.append(statement.string(at: 0)) }
    return rows
  }

  @Test func `of a statement that fails by itself nothing is written down, and the transaction goes on`()
    throws
  {
    try source.execute("BEGIN")
    capture.begin()
    try run("INSERT INTO t VALUES (1, 10), (2, 20)")
    let before = capture.bytes.count
    // Its first rows are changed before the last one is refused.
    #expect(throws: StorageError.self) { try run("INSERT INTO t VALUES (3, 30), (4, 40), (5, 10)") }
    #expect(capture.bytes.count == before)
    try run("INSERT INTO u VALUES ('a')")
    let withBoth = capture.bytes.count
    #expect(throws: StorageError.self) { try run("UPDATE t SET n = 20") }
    #expect(throws: StorageError.self) { try run("CREATE TABLE u (b)") }
    #expect(throws: StorageError.self) { try run("ALTER TABLE t RENAME COLUMN id TO n") }
    #expect(capture.bytes.count == withBoth)
    try run("UPDATE t SET n = n + 1")
    try source.execute("COMMIT")
    try apply()
    #expect(try rows(copy) == ["t1=11", "t2=21", "u1=a"])
    #expect(try rows(copy) == rows(source))
  }

  @Test func `a table that a failed statement was the first to name is named once more`() throws {
    try source.execute("BEGIN")
    capture.begin()
    #expect(throws: StorageError.self) { try run("INSERT INTO t VALUES (1, 10), (1, 11)") }
    #expect(capture.isEmpty)
    try run("INSERT INTO u VALUES ('a'), ('b')")
    try run("INSERT INTO t VALUES (1, 12)")
    try source.execute("COMMIT")
    try apply()
    #expect(try rows(copy) == ["t1=12", "u1=a", "u2=b"])
  }

  @Test func `a savepoint that is rolled back is cut away, with a failure in it`() throws {
    try source.execute("BEGIN")
    capture.begin()
    try run("INSERT INTO t VALUES (1, 10)")
    let mark = capture.mark
    try source.execute("SAVEPOINT s")
    try run("INSERT INTO u VALUES ('a')")
    #expect(throws: StorageError.self) { try run("INSERT INTO t VALUES (2, 10)") }
    try source.execute("ROLLBACK TO s; RELEASE s")
    capture.cut(to: mark)
    try run("INSERT INTO u VALUES ('b')")
    try source.execute("COMMIT")
    try apply()
    #expect(try rows(copy) == ["t1=10", "u1=b"])
  }
}
