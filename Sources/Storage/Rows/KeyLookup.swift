import GatehouseModel
import GatehouseSQLite

/// Finds the keys of objects by what clients identify them by, and those of the objects that link to them.
struct KeyLookup {
  let session: ReadSession

  /// Returns the row of the object that clients identify by `id`; nil where there is none.
  func row(_ objectType: String, id: Mixed) throws(StorageError) -> RowAddress? {
    let index = try session.catalog.topLevelIndex(of: objectType)
    let table = session.catalog.tables[index]
    let statement = try session.cached(RowStatements.key(in: table))
    statement.bind(id, as: table.identifierType, at: 1)
    return try session.integer(statement).map { RowAddress(table: index, key: $0) }
  }

  /// Returns the identifiers of the objects that link to that one by a property, each once, in the order of their keys. The
  /// property is the last of the path; those before it lead through embedded objects.
  func linkingObjects(
    _ objectType: String, _ path: [Int], to target: String, id: Mixed
  ) throws(StorageError) -> [Mixed] {
    precondition(!path.isEmpty, "a path to a link has the link at its end")
    guard let row = try row(target, id: id) else { return [] }
    var tables = [try session.catalog.table(objectType)]
    for property in path.dropLast() {
      guard case .object(let embedded)? = tables[tables.count - 1].properties[property].element else {
        throw .corrupt("path through embedded objects")
      }
      tables.append(try session.catalog.table(embedded))
    }
    var keys: Set<Int64> = [row.key]
    for (table, property) in zip(tables, path).reversed() {
      let layout = table.properties[property]
      keys =
        layout.element == .mixed
        ? try mixedOwners(table, layout, to: target, of: keys) : try owners(table, layout, of: keys)
    }
    return try keys.sorted().map { key throws(StorageError) in try identifier(tables[0], key) }
  }

  /// Returns the keys of the objects of which a property has one of those values.
  private func owners(
    _ table: TableLayout, _ layout: PropertyLayout, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    let statement = try session.cached(
      layout.isColumn
        ? RowStatements.owners(layout, in: table) : ElementStatements.owners(layout))
    return try owners(statement, at: 1, of: keys)
  }

  /// Returns the keys of the objects of which a property has a link to one of those inside a mixed value.
  private func mixedOwners(
    _ table: TableLayout, _ layout: PropertyLayout, to target: String, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    let statement = try session.cached(MixedLinkStatements.ownerKeys)
    statement.bind(target, at: 1)
    statement.bind(table.objectType.name, at: 3)
    statement.bind(layout.property.storedName, at: 4)
    return try owners(statement, at: 2, of: keys)
  }

  /// Returns the keys that a statement gives for all of the keys, each bound at that place.
  private func owners(
    _ statement: Statement, at place: Int32, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    var owners: Set<Int64> = []
    for key in keys {
      statement.bind(key, at: place)
      while try session.step(statement) { owners.insert(statement.int64(at: 0)) }
      statement.reset()
    }
    return owners
  }

  private func identifier(_ table: TableLayout, _ key: Int64) throws(StorageError) -> Mixed {
    guard table.objectType.primaryKeyIndex != nil else { return .int(key) }
    let statement = try session.cached(RowStatements.identifier(in: table))
    statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { throw .corrupt("owner") }
    return try statement.value(as: table.identifierType, at: 0)
  }
}
