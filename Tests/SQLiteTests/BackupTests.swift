import GatehouseSQLite
import Glibc
import Testing

@Suite struct BackupTests {
  private func memory() throws -> Connection {
    try Connection(path: ":memory:", mode: .readWrite)
  }

  /// A database of more than ten pages.
  private func source() throws -> Connection {
    let source = try memory()
    try source.execute("CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(50000)), ('last')")
    return source
  }

  @Test func `a database is copied page by page`() throws {
    let copy = try memory()
    let source = try source()
    let backup = try Backup(from: source, to: copy)
    var steps: [Bool] = []
    var remaining: [Int] = []
    for pages: Int32 in [1, 5, -1] {
      steps.append(try backup.step(pages: pages))
      remaining.append(backup.remaining)
    }
    let total = backup.pageCount
    #expect(total > 10)
    #expect(steps == [true, true, false])
    #expect(remaining == [total - 1, total - 6, 0])
  }

  @Test func `the copy has what the source has`() throws {
    let copy = try memory()
    do {
      let backup = try Backup(from: try source(), to: copy)
      while try backup.step(pages: 3) {}
    }
    let statement = try copy.prepare("SELECT length(v), v FROM t ORDER BY rowid")
    #expect(try statement.step())
    #expect(statement.int64(at: 0) == 50_000)
    #expect(try statement.step())
    #expect(statement.string(at: 1) == "last")
    #expect(try !statement.step())
  }

  @Test func `a connection is not copied into itself`() throws {
    let source = try source()
    #expect(throws: DatabaseError(code: 1, message: "source and destination must be distinct")) {
      _ = try Backup(from: source, to: source)
    }
  }
}
