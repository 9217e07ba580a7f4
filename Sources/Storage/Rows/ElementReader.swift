import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Writes single elements of a list, set or map.
final class ElementReader {
  /// The column by which a statement finds an element.
  enum Selector: String {
    case key
    case position
    case value
  }

  private let elements: ElementColumn
  private let session: ReadSession
  private let sql: String
  private var statement: Statement?

  init(
    _ layout: PropertyLayout, by selector: Selector, target: Projection? = nil, in session: ReadSession
  ) throws(StorageError) {
    self.session = session
    elements = try ElementColumn(layout, target: target, in: session)
    let (column, wanted) =
      selector == .value ? (layout.member("c.value"), layout.member("?2")) : ("c.\(selector.rawValue)", "?2")
    // A set has null once, which `=` does not find.
    sql = """
      SELECT \(elements.expression(for: "c.value")) FROM \(layout.child) AS c \
      WHERE c.owner = ?1 AND \(column) IS \(wanted)
      """
  }

  /// Writes the element that `bind` binds as `?2`; false: there is none, and nothing is written.
  func write<Writer: ValueWriter>(
    owner: Int64, to writer: inout Writer, bind: (Statement) -> Void
  ) throws(StorageError) -> Bool {
    let statement = try prepare()
    statement.bind(owner, at: 1)
    bind(statement)
    defer { statement.reset() }
    guard try session.step(statement) else { return false }
    try elements.write(statement, at: 0, to: &writer, in: session)
    return true
  }

  private func prepare() throws(StorageError) -> Statement {
    if let statement { return statement }
    let statement = try session.prepare(sql)
    self.statement = statement
    return statement
  }
}
