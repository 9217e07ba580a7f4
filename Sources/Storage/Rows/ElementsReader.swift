import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Writes the elements of a list or set, or the objects that link to an object, as an array.
final class ElementsReader {
  private let elements: ElementColumn
  private let session: ReadSession
  private var statement: DeferredStatement

  init(
    _ layout: PropertyLayout, elements: ElementColumn, in session: ReadSession
  ) throws(StorageError) {
    self.elements = elements
    self.session = session
    let condition = layout.property.type.dropsHiddenLinks ? elements.condition(for: "c.value") : nil
    let sql =
      switch layout.property.type {
      case .linkingObjects(let objectType, let property):
        try session.catalog.linkingObjects(elements, objectType, by: property)
      case .list: ElementStatements.list(elements.expression(for: "c.value"), layout, where: condition)
      case .set, .one, .map:
        ElementStatements.set(elements.expression(for: "c.value"), layout, where: condition)
      }
    statement = DeferredStatement(sql)
  }

  func write<Writer: ValueWriter>(owner: Int64, to writer: inout Writer) throws(StorageError) {
    try session.countPart()
    let statement = try statement.compiled(in: session)
    statement.bind(owner, at: 1)
    defer { statement.reset() }
    writer.beginArray()
    while try session.step(statement) {
      try elements.write(statement, at: 0, to: &writer, in: session)
    }
    writer.endArray()
  }
}

extension Catalog {
  /// Returns the statement that gives the objects of a class whose `property` links to object `?1`, once per link.
  fileprivate func linkingObjects(
    _ elements: ElementColumn, _ objectType: String, by property: String
  ) throws(StorageError) -> String {
    let table = try table(objectType)
    guard let index = table.objectType.index(of: property) else { throw .corrupt("linking objects") }
    let layout = table.properties[index]
    let expression = elements.expression(for: "t._key")
    let condition = elements.condition(for: "t._key")
    return layout.isColumn
      ? RowStatements.linkingObjects(expression, by: layout, in: table, where: condition)
      : ElementStatements.linkingObjects(expression, by: layout, in: table, where: condition)
  }
}
