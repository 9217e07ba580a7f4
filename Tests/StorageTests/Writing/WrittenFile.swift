import GatehouseBSON
import GatehouseModel
import GatehouseSQLite
import GatehouseTestSupport
import Glibc

@testable import GatehouseStorage

/// A database file with a schema, and the parts that write it, without a writer, transactions or readers.
final class WrittenFile {
  private let directory: String
  private let connection: Connection
  let parts: WriteParts

  var statements: WriteStatements { parts.base.statements }

  /// The version of the next changes is 2.
  init(_ schema: String, appendOnly: Set<String> = []) throws {
    var template = Array("\(Machine.scratch)/gatehouse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    connection = try DatabaseFile.openWriter("\(directory)/gatehouse.db")
    try DatabaseFile.prepare(connection, path: directory)
    try connection.execute("BEGIN")
    var migration = SchemaMigration(
      from: Catalog(generation: 0, tables: []), before: Schema([]),
      to: try Schema(notation: Value(json: schema)), counters: Counters(nextKey: [], count: []), version: 1,
      on: connection)
    let contents = try migration.perform()
    let session = ReadSession(connection, catalog: contents.catalog)
    parts = WriteParts(
      try WriteBase(session, appendOnlyClasses: appendOnly), counters: contents.counters)
    parts.base.context.begin(version: 2, until: WriteDeadline())
    parts.capture.begin(capturesEmbedded: false)
  }

  deinit {
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  /// The rows of a query, their columns as text with a bar between them.
  func rows(_ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull(at: $0) ? "null" : statement.string(at: $0) }
          .joined(separator: "|"))
    }
    return rows
  }

  func table(_ name: String) throws -> Int { try statements.catalog.index(of: name) }

  func property(_ name: String, of objectType: String) throws -> Int {
    try statements.catalog.table(objectType).objectType.index(of: name) ?? -1
  }

  func row(_ objectType: String, _ key: Int64) throws -> RowAddress {
    RowAddress(table: try table(objectType), key: key)
  }

  func draft(_ objectType: String, _ json: String) throws -> ObjectDraft {
    let schema = statements.catalog.schema
    let type = try statements.catalog.table(objectType).objectType
    return try type.draft(from: Value(json: json), in: schema, mode: .create)
  }

  /// Stores a new object that no reference waits for.
  func add(_ objectType: String, _ json: String, id: Mixed) throws -> RowAddress {
    let row = try parts.objects.makeRow(in: table(objectType), id: id, for: nil)
    try parts.objects.add(row, id: id, draft(objectType, json))
    return row
  }

  /// A whole property of an object, as a place.
  func location(_ row: RowAddress, _ property: String) throws -> Location {
    let objectType = statements.className(of: row)
    return Location(owner: row, holder: row, root: nil, property: try self.property(property, of: objectType))
  }
}
