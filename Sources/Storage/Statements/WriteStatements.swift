import GatehouseModel
import GatehouseSQLite

/// The statements that change the tables of all classes, and the lookups by key that every part of a transaction needs.
final class WriteStatements {
  let catalog: Catalog
  let session: ReadSession
  private let tables: [TableStatements]
  /// Whether there are classes of documents.
  let hasSchemaless: Bool

  init(_ session: ReadSession) {
    catalog = session.catalog
    self.session = session
    tables = session.catalog.tables.map { TableStatements($0, in: session) }
    hasSchemaless = session.catalog.tables.contains { $0.objectType.isSchemaless }
  }

  /// The statements of a class, by its place in the catalog.
  subscript(table: Int) -> TableStatements { tables[table] }

  /// Returns where a property of a row's class is in the file.
  func layout(of property: Int, in row: RowAddress) -> PropertyLayout {
    catalog.tables[row.table].properties[property]
  }

  /// Returns the name of a row's class.
  func className(of row: RowAddress) -> String { catalog.tables[row.table].objectType.name }

  /// Whether a row is that of an embedded object.
  func isEmbedded(_ row: RowAddress) -> Bool { catalog.tables[row.table].objectType.isEmbedded }

  /// Returns the class of the embedded objects that a property holds; nil where it holds none by its type.
  func embeddedTable(_ layout: PropertyLayout) throws(StorageError) -> Int? {
    guard case .object(let target)? = layout.element else { return nil }
    let table = try catalog.index(of: target)
    return catalog.tables[table].objectType.isEmbedded ? table : nil
  }

  /// Returns the row of the object that clients identify by `id`, and the version of its last change.
  func find(_ table: Int, _ id: Mixed) throws(StorageError) -> (row: RowAddress, version: Int64)? {
    let statement = try tables[table][.find]
    statement.bind(id, as: catalog.tables[table].identifierType, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    return (RowAddress(table: table, key: statement.int64(at: 0)), statement.int64(at: 1))
  }

  /// Returns the version of a row's last change; nil where it is gone.
  func version(of row: RowAddress) throws(StorageError) -> Int64? {
    let statement = try tables[row.table][.version]
    statement.bind(row.key, at: 1)
    return try session.integer(statement)
  }

  /// Returns what clients identify an object by; null where it is gone.
  func identifier(of row: RowAddress) throws(StorageError) -> Mixed {
    let table = catalog.tables[row.table]
    guard table.objectType.primaryKey != nil else { return .int(row.key) }
    let statement = try tables[row.table][.identifier]
    statement.bind(row.key, at: 1)
    defer { statement.reset() }
    return try session.step(statement) ? statement.value(as: table.identifierType, at: 0) : .null
  }

  /// Runs a statement that has been bound and gives no rows.
  func run(_ statement: Statement) throws(StorageError) {
    while try session.step(statement) {}
  }

  /// Returns the first column of every row of a statement that has been bound, nulls left out.
  func integers(_ statement: Statement) throws(StorageError) -> [Int64] {
    defer { statement.reset() }
    var values: [Int64] = []
    while try session.step(statement) {
      if !statement.isNull(at: 0) { values.append(statement.int64(at: 0)) }
    }
    return values
  }
}
