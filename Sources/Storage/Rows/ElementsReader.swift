import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Writes the elements of a list or set, or the objects that link to an object, as an array.
final class ElementsReader {
  private let elements: ElementColumn
  private let session: ReadSession
  private let sql: String
  private var statement: Statement?

  init(
    _ layout: PropertyLayout, elements: ElementColumn, in session: ReadSession
  ) throws(StorageError) {
    self.elements = elements
    self.session = session
    switch layout.property.type {
    case .linkingObjects(let objectType, let property):
      sql = try session.linkingObjects(objectType, by: property, elements)
    case .list:
      sql =
        "SELECT \(elements.expression(for: "c.value")) FROM \(layout.child) AS c WHERE c.owner = ?1 ORDER BY c.position"
    case .set, .one, .map:
      sql = """
        SELECT \(elements.expression(for: "c.value")) FROM \(layout.child) AS c WHERE c.owner = ?1 \
        ORDER BY \(layout.member("c.value"))
        """
    }
  }

  func write<Writer: ValueWriter>(owner: Int64, to writer: inout Writer) throws(StorageError) {
    try session.countPart()
    let statement = try prepare()
    statement.bind(owner, at: 1)
    defer { statement.reset() }
    writer.beginArray()
    while try session.step(statement) {
      try elements.write(statement, at: 0, to: &writer, in: session)
    }
    writer.endArray()
  }

  private func prepare() throws(StorageError) -> Statement {
    if let statement { return statement }
    let statement = try session.prepare(sql)
    self.statement = statement
    return statement
  }
}
