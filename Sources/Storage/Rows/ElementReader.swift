import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Writes single elements of a list, set or map.
final class ElementReader {
  private let elements: ElementColumn
  private let session: ReadSession
  private var statement: DeferredStatement

  init(
    _ layout: PropertyLayout, by selector: ElementSelector, target: Projection? = nil,
    in session: ReadSession,
    restricted: Set<String> = []
  ) throws(StorageError) {
    self.session = session
    elements = try ElementColumn(layout, target: target, in: session, restricted: restricted)
    statement = DeferredStatement(
      ElementStatements.element(elements.expression(for: "c.value"), layout, by: selector))
  }

  /// Writes the element that `bind` binds as `?2`, behind its name in a document; false: there is none, and nothing is written.
  func write<Writer: ValueWriter>(
    owner: Int64, named name: PreparedKey? = nil, to writer: inout Writer, bind: (Statement) -> Void
  ) throws(StorageError) -> Bool {
    let statement = try statement.compiled(in: session)
    statement.bind(owner, at: 1)
    bind(statement)
    defer { statement.reset() }
    guard try session.step(statement) else { return false }
    if let name { writer.key(name) }
    try elements.write(statement, at: 0, to: &writer, in: session)
    return true
  }
}
