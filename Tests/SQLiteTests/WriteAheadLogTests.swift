import Foundation
import GatehouseSQLite
import Glibc
import Testing

@Suite struct WriteAheadLogTests {
  /// Runs a test on a database in a file of its own, with a write-ahead log that is observed.
  private func withLog(_ body: (Connection, _ path: String) throws -> Void) throws {
    let path = "/tmp/gatehouse-wal-\(UInt64.random(in: 0 ... .max)).db"
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1")
    connection.observeWriteAheadLog()
    try body(connection, path)
  }

  private func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : -1
  }

  @Test func `the pages of the log are counted, and no checkpoint is made by itself`() throws {
    try withLog { connection, path in
      let before = size(path)
      #expect(connection.writeAheadPages == 0)
      try connection.execute("CREATE TABLE t (v)")
      let first = connection.writeAheadPages
      #expect(first > 0)
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(connection.writeAheadPages == first + 1)
      #expect(size(path) == before)
    }
  }

  @Test func `a passive checkpoint moves the pages, and a truncating one empties the log`() throws {
    try withLog { connection, path in
      try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
      let before = size(path)
      try connection.checkpoint(.passive)
      #expect(size(path) > before)
      #expect(size(path + "-wal") > 0)
      try connection.checkpoint(.truncate)
      #expect(size(path + "-wal") == 0)
    }
  }

  @Test func `a reader keeps the log from beginning anew, at once where nobody waits`() throws {
    try withLog { connection, path in
      try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
      let reader = try Connection(path: path, mode: .readOnly)
      let statement = try reader.prepare("SELECT v FROM t")
      #expect(try statement.step())
      try connection.execute("INSERT INTO t VALUES (2)")
      try connection.checkpoint(.passive)
      #expect(throws: DatabaseError(code: 5, message: "database is locked")) {
        try connection.checkpoint(.restart)
      }
      statement.reset()
      try connection.checkpoint(.restart)
    }
  }

  @Test
  func
    `the log's file is longer than commits need, up to a size, and another process reads what was committed`()
    throws
  {
    try withLog { connection, path in
      let copy = path + "-copy.db"
      defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
      try connection.execute("CREATE TABLE t (v)")
      let (largest, rows) = (600_000, 400)
      var appended = 0
      for number in 0..<rows {
        let before = size(path + "-wal")
        try connection.execute("BEGIN IMMEDIATE")
        connection.growWriteAheadLog(upTo: largest)
        let grown = size(path + "-wal")
        #expect(grown == before || grown <= largest)
        try connection.execute("INSERT INTO t VALUES (\(number)); COMMIT")
        if size(path + "-wal") > grown { appended += 1 }
        if number % 50 == 49 {
          for suffix in ["", "-wal"] {
            try Data(contentsOf: URL(filePath: path + suffix)).write(to: URL(filePath: copy + suffix))
          }
          let other = try Connection(path: copy, mode: .readWrite)
          let statement = try other.prepare("SELECT count(*), max(v) FROM t")
          #expect(try statement.step())
          #expect(statement.int64(at: 0) == number + 1 && statement.int64(at: 1) == number)
          statement.reset()
          for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
        }
      }
      // One page a commit: those up to the first growth, and those beyond the largest size.
      #expect(appended < rows - (largest - 2 * 262_144) / 4120 && appended > 0)
      try connection.checkpoint(.restart)
      try connection.execute("INSERT INTO t VALUES (-1)")
      let check = try connection.prepare("SELECT count(*) FROM t")
      #expect(try check.step())
      #expect(check.int64(at: 0) == rows + 1)
    }
  }
}
