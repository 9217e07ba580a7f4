import GatehouseModel
import GatehouseSQLite

/// Owns the tables of classes and the counters of `_classes`: inserts, changes and deletes the rows of objects, with
/// the embedded objects and the collections that belong to them. Knows nothing of what is captured of changes.
final class ObjectStore {
  let statements: WriteStatements
  private let collections: CollectionStore
  private let links: LinkIndex
  private let appendOnly: AppendOnlyTables
  private let context: WriteContext
  /// The next object key and the number of objects of each class, the transaction's changes included.
  private(set) var counters: Counters
  /// How many embedded objects are being deleted that lie inside each other.
  private var depth = 0
  private var catalog: Catalog { statements.catalog }

  init(_ base: WriteBase, counters: Counters, collections: CollectionStore, links: LinkIndex) {
    statements = base.statements
    appendOnly = base.appendOnly
    context = base.context
    self.counters = counters
    self.collections = collections
    self.links = links
  }

  /// Takes back what was counted: the file has been rolled back.
  func restore(_ counters: Counters) { self.counters = counters }

  /// Writes the counters that have changed to `_classes`.
  func storeCounters() throws(StorageError) {
    precondition(
      counters.nextKey.count == catalog.tables.count && counters.count.count == catalog.tables.count,
      "each class has its counters")
    try CatalogTables(statements.session.connection).store(counters, of: catalog, in: statements.session)
    counters.changed = []
  }

  /// Returns the address for a new object: with the key that links to it hold already, the one that the client names,
  /// or the next.
  func makeRow(
    in table: Int, id: Mixed?, for reference: ForwardReference?
  ) throws(StorageError) -> RowAddress {
    if let reference, !reference.isPlaceholder { return RowAddress(table: table, key: reference.key) }
    guard catalog.tables[table].objectType.primaryKey == nil, case .int(let named)? = id else {
      return nextRow(in: table)
    }
    guard (0...ObjectKey.largest).contains(named) else { throw .keyOutOfRange(named) }
    counters.use(named, table)
    return RowAddress(table: table, key: named)
  }

  /// Returns the address for a new object of a class, with a key that no object of it ever had.
  func nextRow(in table: Int) -> RowAddress {
    RowAddress(table: table, key: counters.takeKey(table))
  }

  /// Returns a draft with the next primary key, where the class counts them and it has none.
  func numbered(_ draft: ObjectDraft, in table: Int) throws(StorageError) -> ObjectDraft {
    let type = catalog.tables[table].objectType
    guard counters.lastID[table] != nil, let index = type.primaryKeyIndex,
      !draft.assignments.contains(where: { $0.property == index })
    else { return draft }
    guard let id = counters.takeID(table) else { throw .keysExhausted(objectType: type.name) }
    var draft = draft
    draft.assign(.value(.int(id)), to: index)
    return draft
  }

  /// Stores a new object. Throws ``StorageError/objectExists(objectType:id:)`` where there is one with its primary key.
  func add(_ row: RowAddress, id: Mixed, _ draft: ObjectDraft) throws(StorageError) {
    do throws(StorageError) { try insert(row, draft) } catch {
      throw error.isCollision
        ? .objectExists(objectType: statements.className(of: row), id: id) : error
    }
    counters.add(1, row.table)
    if case .int(let number) = id { counters.use(id: number, row.table) }
    // Where clients name the keys, they are not always given in their order.
    precondition(
      row.key >= 0 && row.key < counters.nextKey[row.table], "a key that an object has is given to no other")
    if row.key == counters.nextKey[row.table] - 1 { appendOnly.didAddNewest(row, draft) }
  }

  /// Deletes an object that nothing links to any more.
  func delete(_ row: RowAddress) throws(StorageError) {
    // A file that counts fewer objects than there are would not be opened again.
    guard counters.count[row.table] > 0 else { throw .corrupt("number of objects") }
    try removeContents(of: row)
    try remove(row)
    counters.add(-1, row.table)
  }

  /// Makes properties hold those values and nothing else.
  func assign(_ values: [(property: Int, value: DraftValue)], of row: RowAddress) throws(StorageError) {
    try vacate(row, for: values.map(\.property))
    for (property, value) in values { try assign(value, to: property, of: row) }
  }

  /// Makes a property hold that value and nothing else.
  func assign(_ value: DraftValue, to property: Int, of row: RowAddress) throws(StorageError) {
    let layout = statements.layout(of: property, in: row)
    try removeEmbedded(in: property, of: row)
    try links.mixed.remove(from: row, layout)
    guard layout.isColumn else {
      try collections.clear(property, of: row)
      return try fill(property, of: row, with: value)
    }
    try write(columnValue(of: value, in: layout, of: row), to: property, of: row)
  }

  /// Writes what the column of a property holds.
  func write(_ value: Mixed, to property: Int, of row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.assign(property)]
    statement.bind(value, as: statements.layout(of: property, in: row).element ?? .mixed, at: 1)
    statement.bind(row.key, at: 2)
    do throws(StorageError) { try statements.run(statement) } catch {
      throw refusal(error, of: value, for: property, in: row)
    }
  }

  /// Returns the object key that the column of a link or an embedded object holds; none where it is null.
  func key(in property: Int, of row: RowAddress) throws(StorageError) -> [Int64] {
    let statement = try statements[row.table][.value(property)]
    statement.bind(row.key, at: 1)
    return try statements.integers(statement)
  }

  /// Sets the version of an object's last change to the transaction's.
  func touch(_ row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.touch]
    statement.bind(context.version, at: 1)
    statement.bind(row.key, at: 2)
    try statements.run(statement)
  }

  // New rows

  /// Writes a new object: its row, which fails before anything is written where there is one with that key, then the
  /// rows of its embedded objects, then what its collections hold.
  private func insert(_ row: RowAddress, _ draft: ObjectDraft) throws(StorageError) {
    for child in try insertRow(row, draft) { try insert(child.row, child.draft) }
    let statements = statements[row.table]
    guard statements.hasCollections else { return }
    for assignment in draft.assignments
    where !statements.table.properties[assignment.property].isColumn {
      try fill(assignment.property, of: row, with: assignment.value)
    }
  }

  /// Writes the row of a new object; returns the embedded objects that its columns lead to, which are still to be
  /// written.
  private func insertRow(
    _ row: RowAddress, _ draft: ObjectDraft
  ) throws(StorageError) -> [(row: RowAddress, draft: ObjectDraft)] {
    let statements = statements[row.table]
    var embedded: [(row: RowAddress, draft: ObjectDraft)] = []
    let insertion = try statements[.insert]
    insertion.bind(row.key, at: 1)
    if statements.hasVersion { insertion.bind(context.version, at: 2) }
    var assignments = draft.assignments[...]
    for column in statements.columns {
      // Both are in the order of the properties.
      while let next = assignments.first, next.property < column.property {
        skip(next, in: statements.table)
        assignments.removeFirst()
      }
      guard let next = assignments.first, next.property == column.property else {
        insertion.bindNull(at: column.parameter)
        continue
      }
      assignments.removeFirst()
      switch next.value {
      case .value(let value): insertion.bind(value, isMixed: column.isMixed, at: column.parameter)
      case .embedded(let draft):
        let child = try newEmbedded(statements.table.properties[column.property])
        embedded.append((child, draft))
        insertion.bind(child.key, at: column.parameter)
      case let value:
        // This looks up, and stores, in other tables.
        let stored = try columnValue(of: value, in: statements.table.properties[column.property], of: row)
        insertion.bind(stored, isMixed: column.isMixed, at: column.parameter)
      }
    }
    for rest in assignments { skip(rest, in: statements.table) }
    do throws(StorageError) { try self.statements.run(insertion) } catch {
      throw refusal(error, of: draft, row)
    }
    return embedded
  }

  /// Leaves a value to others than the row. One that has a column would be lost.
  private func skip(_ assignment: ObjectDraft.Assignment, in table: TableLayout) {
    precondition(
      !table.properties[assignment.property].isColumn,
      "a draft has each property at most once, in the order of the class")
  }

  /// Returns the address for a new object of the embedded class that a property holds.
  private func newEmbedded(_ layout: PropertyLayout) throws(StorageError) -> RowAddress {
    guard case .object(let objectType)? = layout.element else { throw .corrupt("embedded draft") }
    return nextRow(in: try catalog.index(of: objectType))
  }

  /// Returns what the column of a property, or the value column of its child table, holds for a value. Inserts embedded
  /// objects, and looks up what links lead to.
  func columnValue(
    of value: DraftValue, in layout: PropertyLayout, of row: RowAddress
  ) throws(StorageError) -> Mixed {
    switch value {
    case .value(let value): return value
    case .link(let objectType, let primaryKey):
      let target = ForwardReferences.Target(
        table: try catalog.topLevelIndex(of: objectType), identifier: primaryKey)
      let key = try links.key(of: target, in: layout, of: row, &counters)
      guard layout.element == .mixed else { return .int(key) }
      let link = ObjectLink(objectType: objectType, key: ObjectKey(key))
      try links.mixed.add(to: link, from: row, layout)
      return .link(link)
    case .embedded(let draft):
      let embedded = try newEmbedded(layout)
      try insert(embedded, draft)
      return .int(embedded.key)
    // Only mixed properties hold collections as one value.
    case .list(let values):
      var elements: [Mixed] = []
      for value in values { elements.append(try columnValue(of: value, in: layout, of: row)) }
      return .list(elements)
    case .map(let entries):
      var values: [Mixed.Entry] = []
      for entry in entries {
        values.append(
          Mixed.Entry(key: entry.key, value: try columnValue(of: entry.value, in: layout, of: row)))
      }
      return .dictionary(values)
    }
  }

  // Collections

  /// Fills a collection that is empty.
  private func fill(
    _ property: Int, of row: RowAddress, with value: DraftValue
  ) throws(StorageError) {
    switch (value, statements.layout(of: property, in: row).property.type) {
    case (.list(let values), .list):
      try insert(values.count, into: property, of: row) { (.position(ListPositions.initial($0)), values[$0]) }
      try collections.didFill(property, of: row, count: values.count)
    case (.list(let values), _):
      // Two nulls are distinct to SQLite's unique index, but one to a set.
      let firstNull = values.firstIndex { $0.isNull }
      let distinct = values.indices.filter { $0 == firstNull || !values[$0].isNull }
      try insert(distinct.count, into: property, of: row) { (.unordered, values[distinct[$0]]) }
    case (.map(let entries), _):
      try insert(entries.count, into: property, of: row) { (.key(entries[$0].key), entries[$0].value) }
    // Null resets a collection.
    case (.value, _), (.link, _), (.embedded, _): break
    }
  }

  /// Inserts an element into a collection; an entry of a map or an element of a list takes the place of the one there.
  func insertElement(
    _ value: DraftValue, at place: CollectionStore.Place, into property: Int, of row: RowAddress
  ) throws(StorageError) {
    try insert(1, into: property, of: row) { _ in (place, value) }
  }

  private func insert(
    _ count: Int, into property: Int, of row: RowAddress,
    element: (Int) -> (place: CollectionStore.Place, value: DraftValue)
  ) throws(StorageError) {
    let layout = statements.layout(of: property, in: row)
    var next = 0
    while next < count {
      try context.checkDeadline()
      // By powers of two, so that few statements do for collections of any size.
      var size = CollectionStore.largestBatch
      while size > count - next { size /= 2 }
      // Before a statement is bound, since storing an embedded object may use it too.
      var elements: [(place: CollectionStore.Place, value: Mixed)] = []
      for position in next..<(next + size) {
        let (place, value) = element(position)
        elements.append((place, try columnValue(of: value, in: layout, of: row)))
      }
      try collections.insert(elements, into: property, of: row)
      next += size
    }
  }

  // Removal

  private func remove(_ row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.delete]
    statement.bind(row.key, at: 1)
    try statements.run(statement)
  }

  /// Deletes what an object owns: its embedded objects, and the elements of its collections.
  private func removeContents(of row: RowAddress) throws(StorageError) {
    for (property, layout) in catalog.tables[row.table].properties.enumerated() {
      try removeEmbedded(in: property, of: row)
      if layout.element != nil && !layout.isColumn { try collections.clear(property, of: row) }
    }
    try links.mixed.remove(from: row)
  }

  /// Deletes the embedded objects that a property holds.
  private func removeEmbedded(in property: Int, of row: RowAddress) throws(StorageError) {
    let layout = statements.layout(of: property, in: row)
    guard let table = try statements.embeddedTable(layout) else { return }
    let keys =
      layout.isColumn ? try key(in: property, of: row) : try collections.keys(in: property, of: row)
    try removeEmbedded(table, keys)
  }

  /// Deletes the embedded object that a map holds under a key.
  func removeEmbedded(at key: String, in property: Int, of row: RowAddress) throws(StorageError) {
    guard let table = try statements.embeddedTable(statements.layout(of: property, in: row)) else { return }
    try removeEmbedded(table, collections.key(at: key, in: property, of: row))
  }

  /// Deletes the embedded object that a list holds at a position.
  func removeEmbedded(at position: Int64, in list: Location) throws(StorageError) {
    let layout = statements.layout(of: list.property, in: list.holder)
    guard let table = try statements.embeddedTable(layout) else { return }
    try removeEmbedded(table, collections.key(at: position, in: list))
  }

  private func removeEmbedded(_ table: Int, _ keys: [Int64]) throws(StorageError) {
    guard depth < ReadSession.deepest else { throw .corrupt("embedded objects") }
    depth += 1
    defer { depth -= 1 }
    for key in keys {
      try context.checkDeadline()
      let embedded = RowAddress(table: table, key: key)
      try removeContents(of: embedded)
      try remove(embedded)
    }
  }
}

extension DraftValue {
  fileprivate var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }
}
