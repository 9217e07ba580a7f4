import BSON
import Model
import Query
import SQLite

/// Writes one object found by what clients identify it by.
final class ObjectLookup {
  private let table: TableLayout
  let reader: RowReader
  private let statement: Statement
  private let session: ReadSession
  private let identifierType: ElementType

  init(_ table: TableLayout, projection: Projection, in session: ReadSession) throws(StorageError) {
    self.table = table
    self.session = session
    identifierType = table.identifierType
    reader = try RowReader(projection, of: table, in: session)
    statement = try session.prepare(
      "SELECT \(reader.columns) FROM \(table.table) AS t WHERE t.\(table.identifierColumn) = ?1")
  }

  /// Appends the object and returns its version; nil where there is none.
  func write(
    _ id: Mixed, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? {
    statement.bind(id, as: identifierType, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    let version = statement.int64(at: 1)
    try reader.write(statement, as: representation, into: &bytes)
    return version
  }

  /// The object's version; nil where there is none.
  func version(_ id: Mixed) throws(StorageError) -> Int64? {
    statement.bind(id, as: identifierType, at: 1)
    defer { statement.reset() }
    return try session.step(statement) ? statement.int64(at: 1) : nil
  }
}
