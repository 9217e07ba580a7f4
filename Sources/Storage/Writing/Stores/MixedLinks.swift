import GatehouseModel
import GatehouseSQLite

/// Owns `_mixed_links`: the typed links inside mixed values.
///
/// They can lead from any property to any class, so that no column's index finds them.
final class MixedLinks {
  private let statements: WriteStatements
  private var catalog: Catalog { statements.catalog }
  private var session: ReadSession { statements.session }
  /// Whether the schema has mixed properties.
  private let isNeeded: Bool

  init(_ statements: WriteStatements) {
    self.statements = statements
    isNeeded = statements.catalog.tables.contains { $0.properties.contains { $0.element == .mixed } }
  }

  /// Notes that a mixed value of a property links to an object.
  func add(
    to target: ObjectLink, from row: RowAddress, _ layout: PropertyLayout
  ) throws(StorageError) {
    let statement = try session.cached(MixedLinkStatements.insert)
    statement.bind(target.objectType, at: 1)
    statement.bind(target.key.value, at: 2)
    statement.bind(statements.className(of: row), at: 3)
    statement.bind(row.key, at: 4)
    statement.bind(layout.property.storedName, at: 5)
    try statements.run(statement)
  }

  /// Removes the notes of the links of an object's mixed values, or of those of one property.
  func remove(from row: RowAddress, _ layout: PropertyLayout? = nil) throws(StorageError) {
    let table = catalog.tables[row.table]
    guard layout.map({ $0.element == .mixed }) ?? table.properties.contains(where: { $0.element == .mixed })
    else { return }
    let statement = try session.cached(
      layout == nil ? MixedLinkStatements.removeOwner : MixedLinkStatements.removeProperty)
    statement.bind(table.objectType.name, at: 1)
    statement.bind(row.key, at: 2)
    if let layout { statement.bind(layout.property.storedName, at: 3) }
    try statements.run(statement)
  }

  /// Returns the properties whose mixed values may link to the object: an entry that was taken out of a map leaves its
  /// note behind.
  func owners(of row: RowAddress) throws(StorageError) -> [(row: RowAddress, property: Int)] {
    guard isNeeded else { return [] }
    let query = try session.cached(MixedLinkStatements.owners)
    query.bind(statements.className(of: row), at: 1)
    query.bind(row.key, at: 2)
    var owners: [(row: RowAddress, property: Int)] = []
    while try session.step(query) {
      let table = try catalog.index(of: query.string(at: 0))
      let storedName = query.string(at: 2)
      let properties = catalog.tables[table].properties
      guard let index = properties.firstIndex(where: { $0.property.storedName == storedName }) else {
        continue
      }
      owners.append((RowAddress(table: table, key: query.int64(at: 1)), index))
    }
    return owners
  }

  /// Makes null of the links to an object inside the mixed values of another one's property.
  func unlink(
    _ target: RowAddress, from property: Int, of owner: RowAddress
  ) throws(StorageError) {
    let layout = statements.layout(of: property, in: owner)
    let statement = try session.cached(layout.withoutLink(in: catalog.tables[owner.table]))
    statement.bind(owner.key, at: 1)
    statement.bind(statements.className(of: target), at: 2)
    statement.bind(target.key, at: 3)
    try statements.run(statement)
  }

  /// Removes the notes of all links inside mixed values to an object.
  func remove(to target: RowAddress) throws(StorageError) {
    let removal = try session.cached(MixedLinkStatements.removeTarget)
    removal.bind(statements.className(of: target), at: 1)
    removal.bind(target.key, at: 2)
    try statements.run(removal)
  }

  /// Has the links inside mixed values that hold a placeholder's key lead to the object.
  func resolve(
    _ key: Int64, to row: RowAddress, in place: ForwardReference.Place
  ) throws(StorageError) {
    let (table, target) = (catalog.tables[place.table], statements.className(of: row))
    let query = try session.cached(MixedLinkStatements.distinctOwnerKeys)
    let notes = try session.cached(MixedLinkStatements.setTargetKey)
    for statement in [query, notes] {
      statement.bind(target, at: 1)
      statement.bind(key, at: 2)
      statement.bind(table.objectType.name, at: 3)
      statement.bind(table.properties[place.property].property.storedName, at: 4)
    }
    let statement = try session.cached(table.properties[place.property].withLink(in: table))
    for owner in try statements.integers(query) {
      statement.bind(owner, at: 1)
      statement.bind(target, at: 2)
      statement.bind(key, at: 3)
      statement.bind(row.key, at: 4)
      try statements.run(statement)
    }
    notes.bind(row.key, at: 5)
    try statements.run(notes)
  }
}
