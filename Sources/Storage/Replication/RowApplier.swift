import GatehouseSQLite

/// Writes the rows of a transaction of another store into the file, by statements of its own: no trigger runs, and each row must
/// be what the transaction says that it is.
final class RowApplier {
  private final class Table {
    let name: String
    let shape: TableShape
    /// The names of the key's columns.
    let key: [String]
    let insert: Statement
    let delete: Statement
    /// By the columns that they set.
    var updates: [[UInt8]: Statement] = [:]

    /// The updates of different columns that stay compiled.
    static let mostUpdates = 64

    init(_ name: String, _ shape: TableShape, on connection: Connection) throws(DatabaseError) {
      self.name = name
      self.shape = shape
      key = shape.key.map { shape.columns[$0] }
      insert = try connection.prepare(
        ReplicationStatements.insert(into: name, columns: shape.columns, hasRowid: key.isEmpty))
      delete = try connection.prepare(ReplicationStatements.delete(from: name, by: key))
    }

    func update(_ mask: [UInt8], on connection: Connection) throws(DatabaseError) -> Statement {
      if let statement = updates[mask] { return statement }
      if updates.count == Table.mostUpdates { updates.removeAll() }
      precondition(mask.count == (shape.columns.count + 7) / 8, "an update names columns of its table")
      let columns = shape.columns.indices.filter { mask[$0 >> 3] >> UInt8($0 & 7) & 1 == 1 }
      let statement = try connection.prepare(
        ReplicationStatements.update(name, set: columns.map { shape.columns[$0] }, by: key))
      updates[mask] = statement
      return statement
    }
  }

  private let connection: Connection
  private var known: [String: Table] = [:]
  /// By their numbers in the transaction.
  private var tables: [Table] = []

  init(_ connection: Connection) { self.connection = connection }

  /// Begins a transaction.
  func begin() { tables.removeAll(keepingCapacity: true) }

  /// Forgets the tables: the schema has changed, or was rolled back.
  func forgetTables() { known.removeAll() }

  /// Takes the table that the transaction names next; throws ``StorageError/diverged(_:)`` where the file has none like it.
  func add(_ named: NamedTable) throws(StorageError) {
    let table = try table(named.name)
    guard table.shape.columns.count == named.columnCount, table.shape.key == named.key else {
      throw .diverged(.table(named.name))
    }
    tables.append(table)
  }

  private func table(_ name: String) throws(StorageError) -> Table {
    if let table = known[name] { return table }
    let table: Table?
    do throws(DatabaseError) {
      table = try TableShape(of: name, on: connection).map { shape throws(DatabaseError) in
        try Table(name, shape, on: connection)
      }
    } catch {
      throw StorageError(error)
    }
    guard let table else { throw .diverged(.table(name)) }
    known[name] = table
    return table
  }

  func insert(_ number: Int, _ row: RowDecoder) throws(StorageError) {
    let table = tables[number]
    bind(row.values, at: bind(table.key.isEmpty ? row.key : [], at: 1, of: table.insert), of: table.insert)
    try run(table.insert, of: table)
  }

  func update(_ number: Int, _ row: RowDecoder) throws(StorageError) {
    let table = tables[number]
    let statement: Statement
    do { statement = try table.update(row.mask, on: connection) } catch { throw StorageError(error) }
    bind(row.values, at: bind(row.key, at: 1, of: statement), of: statement)
    try run(statement, of: table)
    guard connection.changes == 1 else { throw .diverged(.missingRow(table: table.name)) }
  }

  func delete(_ number: Int, _ row: RowDecoder) throws(StorageError) {
    let table = tables[number]
    bind(row.key, at: 1, of: table.delete)
    try run(table.delete, of: table)
    guard connection.changes == 1 else { throw .diverged(.missingRow(table: table.name)) }
  }

  private func run(_ statement: Statement, of table: Table) throws(StorageError) {
    do throws(DatabaseError) { try statement.run() } catch {
      let failure = StorageError(error)
      if failure.isCollision { throw .diverged(.presentRow(table: table.name)) }
      // SQLITE_CONSTRAINT and SQLITE_MISMATCH: no table of that kind takes the row.
      throw [19, 20].contains(error.primaryCode) ? .diverged(.table(table.name)) : failure
    }
  }

  /// Binds values to parameters from that one on; returns the one behind them.
  @discardableResult
  private func bind(_ values: [RowValue], at first: Int32, of statement: Statement) -> Int32 {
    var index = first
    for value in values {
      switch value {
      case .null: statement.bindNull(at: index)
      case .integer(let value): statement.bind(value, at: index)
      case .real(let value): statement.bind(value, at: index)
      case .text(let bytes): statement.bind(text: bytes.bindMemory(to: UInt8.self), at: index)
      case .blob(let bytes): statement.bind(blob: bytes.bindMemory(to: UInt8.self), at: index)
      }
      index += 1
    }
    return index
  }
}
