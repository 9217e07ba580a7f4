import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// The values of properties as somebody sees them who may not see all objects.
struct VisibleValues {
  let scope: VisibilityScope<StoredObject>
  private let lookup: PropertyLookup
  private var session: ReadSession { lookup.session }

  /// Nil: everything may be seen.
  init?(_ visibility: Visibility?, in session: ReadSession) {
    guard let visibility else { return nil }
    scope = VisibilityScope(visibility)
    lookup = PropertyLookup(session)
  }

  /// The schema without hidden properties.
  var schema: Schema {
    session.catalog.schema.masked(hiding: scope.visibility.hidden, fields: scope.visibility.hiddenFields)
  }

  /// The value with null in place of links that lead to objects which may not be seen.
  func concealed(_ value: Mixed) throws(StorageError) -> Mixed {
    let seen = scope.concealed(value, finding: lookup.object)
    if let failure = lookup.failure { throw failure }
    return seen
  }

  /// Whether the collection may lack elements that are in the file.
  func drops(from layout: PropertyLayout) -> Bool {
    layout.property.type.dropsHiddenLinks && scope.visibility.conceals(layout.property.type)
  }

  /// The elements of a list, in order, or of a set, in no order.
  func values(of layout: PropertyLayout, _ owner: RowAddress) throws(StorageError) -> [Mixed] {
    let isList = if case .list = layout.property.type { true } else { false }
    let statement = try session.cached(
      isList ? ElementStatements.valuesByPosition(layout) : ElementStatements.values(layout))
    statement.bind(owner.key, at: 1)
    let values = try stored(statement, as: layout.element ?? .mixed)
    return try remaining(values) { $0 }
  }

  private func stored(_ statement: Statement, as type: ElementType) throws(StorageError) -> [Mixed] {
    defer { statement.reset() }
    var values: [Mixed] = []
    while try session.step(statement) { values.append(try statement.value(as: type, at: 0)) }
    return values
  }

  /// The elements without those that drop out of such a collection, since what they link to may not be seen.
  func remaining<Element>(
    _ elements: [Element], value: (Element) -> Mixed
  ) throws(StorageError) -> [Element] {
    var remaining: [Element] = []
    for element in elements {
      let value = value(element)
      let isSeen = value == .null ? true : try concealed(value) != .null
      if isSeen { remaining.append(element) }
    }
    return remaining
  }
}
