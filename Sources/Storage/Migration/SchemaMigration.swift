import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Turns the file of one schema into that of another, inside a transaction that is open.
///
/// A property is the same one if its stored name is, or else its name for clients, so that `mapTo` renames
/// without touching data. A property of another type gets a place with a name of its own, so that a reader that still
/// has the old catalog fails rather than reads the wrong column. Values are converted (``GatehouseModel/Mixed``'s
/// `converted(to:)`); what cannot be ends the migration, or, where losses are allowed, becomes null or the initial value.
struct SchemaMigration {
  let catalog: Catalog
  private let connection: Connection
  let session: ReadSession
  private let oldCounters: Counters
  private var counters = Counters(nextKey: [], count: [])
  private var tables: [TableLayout] = []
  private var names: PhysicalNames
  private let schema: Schema
  private let before: Schema
  /// The commit that the change is.
  private let version: Int64
  /// The classes whose objects show something else after it.
  private var reshaped: Set<String> = []
  /// Classes that are called otherwise from now on; in the catalog they have their new names.
  var renamedClasses: [ClassRename] = []
  /// Whether values may be lost.
  var isDestructive = false
  /// The first values that cannot be converted, where none may be lost.
  var unconvertible: [UnconvertibleValue] = []

  /// `before` is the schema whose classes and properties may have other names in the catalog by now.
  init(
    from catalog: Catalog, before: Schema, to schema: Schema, counters: Counters, version: Int64,
    on connection: Connection
  ) {
    self.schema = schema
    self.version = version
    self.before = before
    self.catalog = catalog
    self.connection = connection
    oldCounters = counters
    session = ReadSession(connection, catalog: catalog)
    names = PhysicalNames(taken: catalog.tables.map(\.name))
  }

  /// Makes the new schema the file's.
  mutating func perform() throws(StorageError) -> CatalogTables.Contents {
    reshaped = schema.reshaped(since: before, renaming: renamedClasses)
    for rename in renamedClasses { try renameMixedLinks(rename) }
    try dropClasses()
    for type in schema.objectTypes {
      if let index = survivor(of: type) {
        tables.append(try change(catalog.tables[index], to: type))
        counters.lastID[tables.count - 1] = type.countsPrimaryKeys ? oldCounters.lastID[index] : nil
        counters.nextKey.append(oldCounters.nextKey[index])
        counters.count.append(oldCounters.count[index])
      } else {
        tables.append(try create(type))
        counters.nextKey.append(0)
        counters.count.append(0)
      }
    }
    guard unconvertible.isEmpty else { throw .unconvertible(unconvertible) }
    let changed = Catalog(generation: catalog.generation + 1, tables: tables)
    try sweep(changed)
    try RuleScan(connection, changed).perform(since: catalog)
    let store = CatalogTables(connection)
    try store.store(changed, counters)
    try store.storeSchemaVersion(version)
    let contents = try store.load()
    precondition(
      contents.catalog.generation == changed.generation && contents.catalog.tables.count == tables.count,
      "the file has the schema that was made")
    return contents
  }

  /// The class that `type` is a new version of. An embedded class is never one of a class that is not.
  private func survivor(of type: ObjectType) -> Int? {
    guard let index = try? catalog.index(of: type.name),
      catalog.tables[index].objectType.isEmbedded == type.isEmbedded
    else { return nil }
    return index
  }

  private mutating func dropClasses() throws(StorageError) {
    let dropped = catalog.tables.filter { table in
      schema[table.objectType.name].flatMap { survivor(of: $0) } == nil
    }
    // Classes that go need not be unlinked from others that go, whose tables may be gone by then.
    for table in dropped { try forgetMixedLinks(of: table.objectType.name) }
    for table in dropped {
      try unlinkMixed(table.objectType.name)
      for structure in table.structures { try execute(structure.removal) }
      for layout in table.properties where layout.element != nil && !layout.isColumn {
        try dropChild(layout)
      }
      try execute("DROP TABLE \(table.table)")
      names.free(table.name)
    }
  }

  private mutating func create(_ type: ObjectType) throws(StorageError) -> TableLayout {
    let name = names.take(type.name)
    var places = PhysicalNames(taken: ["_key", "_version"])
    let table = TableLayout(
      objectType: type, name: name,
      properties: type.properties.map { place($0, of: name, &places) }, shapeVersion: 0)
    try execute(table.definition)
    for layout in table.properties { try execute(table.definitions(of: layout)) }
    for structure in table.structures { try make(structure, in: table) }
    return table
  }

  private func place(_ property: Property, of table: String, _ places: inout PhysicalNames) -> PropertyLayout
  {
    switch property.type {
    case .linkingObjects: return PropertyLayout(property: property, name: nil)
    case .one: return PropertyLayout(property: property, name: places.take(property.storedName))
    case .list, .set, .map:
      return PropertyLayout(property: property, name: "\(table).\(places.take(property.storedName))")
    }
  }

  private mutating func change(_ old: TableLayout, to type: ObjectType) throws(StorageError) -> TableLayout {
    var places = PhysicalNames(taken: ["_key", "_version"] + old.placeNames)
    let kept = type.properties.map { old.layout(like: $0) }
    let layouts = zip(type.properties, kept).map { property, before in
      before.map { PropertyLayout(property: property, name: $0.name) }
        ?? place(property, of: old.name, &places)
    }
    let table = TableLayout(
      objectType: type, name: old.name, properties: layouts,
      shapeVersion: reshaped.contains(type.name) ? version : old.shapeVersion)
    let structures = table.structures
    for structure in old.structures where !structures.contains(structure) {
      try execute(structure.removal)
    }
    for (layout, before) in zip(table.properties, kept) {
      if let before {
        try change(before, of: old, to: layout, of: table)
      } else {
        try add(layout, to: table, was: old)
      }
    }
    // Last: what goes may be needed for what is converted.
    let keptNames = Set(kept.compactMap { $0?.name })
    for layout in old.properties {
      guard let name = layout.name, !keptNames.contains(name) else { continue }
      try drop(layout, from: old)
    }
    let keptStructures = Set(old.structures)
    for structure in structures where !keptStructures.contains(structure) {
      try make(structure, in: table)
    }
    return table
  }

  private func drop(_ layout: PropertyLayout, from table: TableLayout) throws(StorageError) {
    guard layout.element != nil else { return }
    guard layout.isColumn else { return try dropChild(layout) }
    try execute("DROP INDEX IF EXISTS \(table.indexName(of: layout))")
    try execute("ALTER TABLE \(table.table) DROP COLUMN \(layout.column)")
  }

  private func dropChild(_ layout: PropertyLayout) throws(StorageError) {
    try execute("DROP TABLE \(layout.child)")
    try execute("DELETE FROM _list_blocks WHERE list = \(literal(layout.name ?? ""))")
  }

  /// Removes what has lost its owner with the classes and properties that are gone.
  private func sweep(_ catalog: Catalog) throws(StorageError) {
    for statement in OrphanRemoval(from: self.catalog, to: catalog).statements {
      while try execute(counting: statement.sql) > 0, statement.isRepeated {}
    }
  }

  /// Whether the last INSERT was of a row that was there.
  var hasInsertedNothing: Bool { connection.changes == 0 }

  private func execute(counting sql: String) throws(StorageError) -> Int {
    try execute(sql)
    return connection.changes
  }

  private mutating func add(
    _ layout: PropertyLayout, to table: TableLayout, was old: TableLayout
  ) throws(StorageError) {
    let predecessor = old.predecessor(of: layout.property)
    let source = predecessor.flatMap { $0.property.converts(to: layout.property) ? $0 : nil }
    if layout.isColumn {
      try execute(layout.addition(to: table))
      if let source { try convert(source, of: old, to: layout) }
      if source == nil || !layout.isOptional { try fill(layout, of: table) }
    }
    try describingDuplicates(of: layout, in: table) { () throws(StorageError) in
      try execute(table.definitions(of: layout))
    }
    if let source, !layout.isColumn { try convert(source, of: old, to: layout) }
  }

  private mutating func change(
    _ before: PropertyLayout, of old: TableLayout, to layout: PropertyLayout, of table: TableLayout
  ) throws(StorageError) {
    if before.property.type.stored?.optional == true, layout.property.type.stored?.optional == false {
      try noteNulls(of: before, in: old, layout)
      if layout.isColumn {
        try describingDuplicates(of: layout, in: table) { () throws(StorageError) in
          try fill(layout, of: table)
        }
      }
    }
    guard old.indexKind(of: before) != table.indexKind(of: layout) else { return }
    try execute("DROP INDEX IF EXISTS \(old.indexName(of: before))")
    guard let definition = table.indexDefinition(of: layout) else { return }
    try describingDuplicates(of: layout, in: table) { () throws(StorageError) in try execute(definition) }
  }

  /// Gives every object that has none the property's default value, or its type's.
  private func fill(_ layout: PropertyLayout, of table: TableLayout) throws(StorageError) {
    guard let element = layout.element, let value = layout.property.initialValue(in: schema) else { return }
    let statement = try session.prepare(
      "UPDATE \(table.table) SET \(layout.column) = ?1 WHERE \(layout.column) IS NULL")
    statement.bind(value, as: element, at: 1)
    while try session.step(statement) {}
  }

  private func execute(_ statements: [String]) throws(StorageError) {
    for statement in statements { try execute(statement) }
  }

  private func execute(_ sql: String) throws(StorageError) {
    do { try connection.execute(sql) } catch { throw StorageError(error) }
  }

  private func make(_ structure: TableLayout.Structure, in table: TableLayout) throws(StorageError) {
    do throws(StorageError) { try execute(structure.definition) } catch {
      guard error.isCollision, let key = structure.uniqueKey else { throw error }
      throw .schemaConflict(try conflict(of: key, in: table))
    }
  }

  /// Makes an index, or fills a column that has one, in `body`, and says which objects it found to be the same where they must not be.
  private func describingDuplicates(
    of layout: PropertyLayout, in table: TableLayout, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) { try body() } catch {
      guard error.isCollision, let property = table.objectType.index(of: layout.property.name) else {
        throw error
      }
      throw .schemaConflict(try conflict(of: [property], in: table))
    }
  }

  private func conflict(of key: [Int], in table: TableLayout) throws(StorageError) -> SchemaConflict {
    let rows = try session.prepare(table.duplicates(of: key, limit: SchemaConflict.mostTold))
    let identifiers = try session.prepare(RowStatements.identifier(in: table))
    func identifier(_ key: Int64) throws(StorageError) -> Mixed {
      identifiers.bind(key, at: 1)
      defer { identifiers.reset() }
      return try session.step(identifiers) ? identifiers.value(as: table.identifierType, at: 0) : .null
    }
    var duplicates: [SchemaConflict.Duplicates] = []
    while try session.step(rows) {
      // Nobody names embedded objects.
      let ids =
        table.objectType.isEmbedded
        ? [] : [try identifier(rows.int64(at: 0)), try identifier(rows.int64(at: 1))]
      duplicates.append(SchemaConflict.Duplicates(ids: ids, count: Int(rows.int64(at: 2))))
    }
    return SchemaConflict(
      objectType: table.objectType.name, properties: table.objectType.names(at: key), duplicates: duplicates)
  }
}

extension TableLayout {
  /// The names of columns, and of child tables without the class' name.
  fileprivate var placeNames: [String] {
    properties.compactMap { layout in
      layout.name.map { layout.isColumn ? $0 : String($0.dropFirst(name.count + 1)) }
    }
  }

  /// Where a property is that can take `property` without a change of its column or table.
  fileprivate func layout(like property: Property) -> PropertyLayout? {
    predecessor(of: property).flatMap { $0.property.hasForm(of: property) ? $0 : nil }
  }

  /// Where the property is that `property` is a new version of.
  func predecessor(of property: Property) -> PropertyLayout? {
    properties.first { $0.property.storedName == property.storedName }
      ?? properties.first { $0.property.name == property.name }
  }
}

extension PropertyLayout {
  /// Whether there may be no value.
  var isOptional: Bool {
    if case .one(_, let optional) = property.type { return optional }
    return true
  }
}

extension Property {
  /// Whether values of both have the same form in the file.
  func hasForm(of other: Property) -> Bool {
    switch (type, other.type) {
    case (.one(let mine, _), .one(let theirs, _)), (.list(let mine, _), .list(let theirs, _)),
      (.map(let mine, _), .map(let theirs, _)):
      return mine == theirs
    // The tables of sets with and without null differ.
    case (.set, .set), (.linkingObjects, .linkingObjects): return type == other.type
    case (.one, _), (.list, _), (.set, _), (.map, _), (.linkingObjects, _): return false
    }
  }
}
