import GatehouseSQLite
import Glibc
import Testing

private func memory() throws -> Connection {
  try Connection(path: ":memory:", mode: .readWrite)
}

@Test func `what is bound comes back with its storage class`() throws {
  let statement = try memory().prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7")
  statement.bind(Int64.min, at: 1)
  statement.bind(1.5, at: 2)
  statement.bind("naïve 🙂", at: 3)
  statement.bind(blob: [0, 255], at: 4)
  statement.bindNull(at: 5)
  statement.bind("", at: 6)
  statement.bind(blob: [], at: 7)
  #expect(try statement.step())
  #expect(
    (0..<7).map { statement.storageClass(at: $0) } == [.integer, .real, .text, .blob, .null, .text, .blob])
  #expect(statement.int64(at: 0) == .min)
  #expect(statement.double(at: 1) == 1.5)
  #expect(statement.string(at: 2) == "naïve 🙂")
  #expect(statement.bytes(at: 3) == [0, 255])
  #expect(statement.string(at: 5) == "")
  #expect(statement.bytes(at: 6) == [])
  #expect(try !statement.step())
}

@Test func `a value that is too large is refused, and not stored as null`() throws {
  let connection = try memory()
  try connection.execute("CREATE TABLE t (value)")
  let statement = try connection.prepare("INSERT INTO t VALUES (?1)")
  // One byte more than SQLite takes; nobody touches the memory.
  let size = 1_000_000_001
  let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
  let bytes = try #require(memory == MAP_FAILED ? nil : memory)
  defer { munmap(bytes, size) }
  statement.bind(
    blob: UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: size), at: 1)
  // SQLITE_TOOBIG.
  #expect { try statement.run() } throws: { ($0 as? DatabaseError)?.primaryCode == 18 }
  statement.bind(Int64(1), at: 1)
  try statement.run()
  let stored = try connection.prepare("SELECT group_concat(value) FROM t")
  #expect(try stored.step())
  #expect(stored.string(at: 0) == "1")
}

@Test func `a connection goes with its cached statements`() throws {
  weak var statement: Statement?
  weak var connection: Connection?
  do {
    let owner = try memory()
    let cached = try owner.cached("SELECT 1")
    #expect(try cached.step())
    (connection, statement) = (owner, cached)
  }
  #expect(connection == nil)
  #expect(statement == nil)
}

@Test func `a statement goes on without its connection, whose limits are gone`() throws {
  let sql = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT count(*) FROM n"
  func prepared() throws -> Statement {
    let connection = try memory()
    connection.limits.work = 0
    connection.obeyLimits()
    return try connection.prepare(sql)
  }
  let statement = try prepared()
  #expect(try statement.step())
  #expect(statement.int64(at: 0) == 50_000)
}

@Test func `a text with a NUL in it is bound whole`() throws {
  let statement = try memory().prepare("SELECT length(CAST(?1 AS BLOB))")
  statement.bind("a\0b", at: 1)
  #expect(try statement.step())
  #expect(statement.int64(at: 0) == 3)
}

@Test func `a broken statement names SQLite's code and words`() throws {
  let connection = try memory()
  #expect(throws: DatabaseError(code: 1, message: "no such table: nowhere")) {
    try connection.prepare("SELECT * FROM nowhere")
  }
}

@Test func `a constraint that fails leaves the statement usable`() throws {
  let connection = try memory()
  try connection.execute("CREATE TABLE t (v UNIQUE)")
  let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
  insert.bind(Int64(1), at: 1)
  try insert.run()
  #expect(throws: DatabaseError(code: 2067, message: "UNIQUE constraint failed: t.v")) { try insert.run() }
  insert.bind(Int64(2), at: 1)
  try insert.run()
  #expect(connection.changes == 1)
}

@Test func `a function of ours sees its arguments and answers`() throws {
  let connection = try memory()
  try connection.createFunction("join_all", argumentCount: -1) { arguments, answer in
    let parts = (0..<arguments.count).map { String(decoding: arguments.text(at: $0), as: UTF8.self) }
    answer.text(parts.joined(separator: "-"))
  }
  let statement = try connection.prepare("SELECT join_all('a', 'b', 3)")
  #expect(try statement.step())
  #expect(statement.string(at: 0) == "a-b-3")
}

@Test func `a collation of ours orders texts`() throws {
  let connection = try memory()
  try connection.createCollation("backwards") { left, right in
    left.lexicographicallyPrecedes(right) ? 1 : right.lexicographicallyPrecedes(left) ? -1 : 0
  }
  try connection.execute(
    "CREATE TABLE t (v TEXT COLLATE backwards); INSERT INTO t VALUES ('a'), ('c'), ('b')")
  let statement = try connection.prepare("SELECT group_concat(v, '') FROM (SELECT v FROM t ORDER BY v)")
  #expect(try statement.step())
  #expect(statement.string(at: 0) == "cba")
}

@Test func `a file that nobody can change is read without a lock, whatever its path`() throws {
  let path = "/tmp/gatehouse-immutable-\(UInt64.random(in: 0 ... .max))?a#b%41.db"
  defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
  try Connection(path: path, mode: .readWrite).execute(
    "PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (7)")
  let connection = try Connection(path: path, mode: .immutable)
  let statement = try connection.prepare("SELECT n FROM t")
  #expect(try statement.step())
  #expect(statement.int64(at: 0) == 7)
  #expect(access(path + "-shm", F_OK) != 0)
  #expect(throws: DatabaseError.self) { try connection.execute("DELETE FROM t") }
}

@Test func `connections of one process share a file that no other may have, without an index on the disk`()
  throws
{
  let path = "/tmp/gatehouse-alone-\(UInt64.random(in: 0 ... .max)).db"
  defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
  let writer = try Connection(path: path, mode: .readWrite, isAlone: true)
  try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (7)")
  let reader = try Connection(path: path, mode: .readOnly, isAlone: true)
  let statement = try reader.prepare("SELECT sum(n) FROM t")
  #expect(try statement.step() && statement.int64(at: 0) == 7)
  statement.reset()
  try writer.execute("INSERT INTO t VALUES (8)")
  #expect(try statement.step() && statement.int64(at: 0) == 15)
  #expect(access(path + "-shm", F_OK) != 0)
}

@Test
func `a file that was made larger keeps what it has, until a checkpoint makes it as large as that needs`()
  throws
{
  let path = "/tmp/gatehouse-grown-\(UInt64.random(in: 0 ... .max)).db"
  defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
  func size() -> [Int] {
    var status = stat()
    return stat(path, &status) == 0 ? [Int(status.st_size), Int(status.st_blocks) * 512] : []
  }
  let connection = try Connection(path: path, mode: .readWrite)
  try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (7)")
  try connection.checkpoint(.truncate)
  #expect(size() == [8192, 8192])
  try connection.growFile(to: 1 << 20)
  #expect(size() == [1 << 20, 1 << 20])
  let statement = try connection.prepare("SELECT n FROM t")
  #expect(try statement.step() && statement.int64(at: 0) == 7)
  statement.reset()
  try connection.execute("UPDATE t SET n = 8")
  try connection.checkpoint(.truncate)
  #expect(size() == [8192, 8192])
}
