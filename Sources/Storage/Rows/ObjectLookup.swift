import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Writes one object found by what clients identify it by.
final class ObjectLookup {
  let reader: RowReader
  private let statement: Statement
  private let finding: Statement
  private let session: ReadSession
  private let identifierType: ElementType

  /// `restricted` are the classes of which not all objects may be seen.
  init(
    _ table: TableLayout, projection: Projection, in session: ReadSession, restricted: Set<String> = []
  ) throws(StorageError) {
    self.session = session
    identifierType = table.identifierType
    reader = try RowReader(projection, of: table, in: session, restricted: restricted)
    statement = try session.prepare(RowStatements.object(reader.columns, in: table))
    finding = try session.prepare(RowStatements.object("t._key, \(table.version(of: "t"))", in: table))
  }

  /// Appends the object and returns its key and version; nil where there is none.
  func write(
    _ id: Mixed, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> (key: Int64, version: Int64)? {
    statement.bind(id, as: identifierType, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    let found = (statement.int64(at: 0), statement.int64(at: 1))
    try reader.write(statement, as: representation, into: &bytes)
    return found
  }

  /// The object's key and version; nil where there is none.
  func find(_ id: Mixed) throws(StorageError) -> (key: Int64, version: Int64)? {
    finding.bind(id, as: identifierType, at: 1)
    defer { finding.reset() }
    return try session.step(finding) ? (finding.int64(at: 0), finding.int64(at: 1)) : nil
  }
}
