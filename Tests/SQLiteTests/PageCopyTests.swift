import FoundationEssentials
import GatehouseSQLite
import Testing

/// Pages are handed out as a copy would have them.
struct PageCopyTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID())")

  @Test(arguments: [0, 3, 4000]) func `the pages of a snapshot make a database as it was`(rows: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "source.db").path()
    let writer = try Connection(path: path, mode: .readWrite)
    try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    let fill = "INSERT INTO t (b) SELECT hex(randomblob(200)) FROM n"
    try writer.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= \(rows)) \(fill)")
    let reader = try Connection(path: path, mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM t")
    let text = "SELECT count(*) || ' ' || coalesce(sum(unicode(b) * a), 0) FROM t"
    let expected = try value(text, reader)

    var pages: [Int: [UInt8]] = [:]
    let settings = "PRAGMA journal_mode = OFF; PRAGMA cache_size = -64"
    let copy = try PageCopy(of: reader, settings: settings) { number, page in pages[number] = Array(page) }
    _ = try copy.step(pages: 2)
    // It has nothing of this.
    try writer.execute("DELETE FROM t WHERE a > 1; INSERT INTO t (b) VALUES ('later')")
    while try copy.step(pages: 7) {}
    #expect(pages.count == copy.pageCount)

    let target = folder.appending(path: "copy.db").path()
    let bytes = pages.sorted { $0.key < $1.key }.flatMap(\.value)
    try Data(bytes).write(to: URL(filePath: target))
    let restored = try Connection(path: target, mode: .readWrite)
    #expect(try value("PRAGMA integrity_check", restored) == "ok")
    #expect(try value(text, restored) == expected)
  }

  private func value(_ sql: String, _ connection: Connection) throws -> String {
    let statement = try connection.prepare(sql)
    guard try statement.step() else { return "" }
    defer { statement.reset() }
    return String(decoding: statement.text(at: 0), as: UTF8.self)
  }
}
