import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// The tables that describe the file: `_meta`, `_classes`, `_properties`, and the last row of `_commits`.
struct CatalogTables {
  /// All that a writer needs to know of a file when it opens it.
  struct Contents {
    let catalog: Catalog
    let counters: Counters
    let version: Int64
  }

  private let connection: Connection
  private let session: ReadSession

  init(_ connection: Connection) {
    self.connection = connection
    session = ReadSession(connection, catalog: Catalog(generation: 0, tables: []))
  }

  func load() throws(StorageError) -> Contents {
    let schema = try schema()
    let places = try places()
    var tables: [TableLayout] = []
    var counters = Counters(nextKey: [], count: [])
    let row = try session.prepare(CatalogStatements.tableOfClass)
    for type in schema.objectTypes {
      row.bind(type.name, at: 1)
      guard try session.step(row) else { throw .corrupt("class without table") }
      tables.append(
        TableLayout(
          objectType: type, name: row.string(at: 0),
          properties: type.properties.map { property in
            PropertyLayout(property: property, name: places[Place(type.name, property.storedName)])
          },
          shapeVersion: try shapeVersion(of: type)))
      let (nextKey, count) = (row.int64(at: 1), row.int64(at: 2))
      guard Counters.keys ~= nextKey, Counters.countable ~= count else {
        throw .corrupt("counters of a class")
      }
      counters.lastID[tables.count - 1] = try lastID(in: tables[tables.count - 1])
      counters.nextKey.append(nextKey)
      counters.count.append(count)
      row.reset()
    }
    let generation = try session.integer(try session.prepare(CatalogStatements.generation))
    let version = try session.integer(try session.prepare(LogStatements.lastVersion)) ?? 0
    let floor = try session.integer(try session.prepare(CatalogStatements.logFloor)) ?? 0
    let generations = generation ?? 0
    guard Counters.countable ~= version, Counters.countable ~= floor, Counters.countable ~= generations else {
      throw .corrupt("version")
    }
    return Contents(
      catalog: Catalog(generation: generations, tables: tables), counters: counters, version: version)
  }

  /// Replaces everything that describes the schema.
  func store(_ catalog: Catalog, _ counters: Counters) throws(StorageError) {
    do { try connection.execute(CatalogStatements.clear) } catch { throw StorageError(error) }
    try store(catalog.schema, generation: catalog.generation)
    let classes = try session.prepare(CatalogStatements.insertClass)
    let properties = try session.prepare(CatalogStatements.insertProperty)
    try storeShapeVersions(of: catalog)
    try storeLastIDs(counters, of: catalog)
    for (index, table) in catalog.tables.enumerated() {
      classes.bind(table.objectType.name, at: 1)
      classes.bind(table.name, at: 2)
      classes.bind(counters.nextKey[index], at: 3)
      classes.bind(counters.count[index], at: 4)
      while try session.step(classes) {}
      for layout in table.properties {
        guard let place = layout.name else { continue }
        properties.bind(table.objectType.name, at: 1)
        properties.bind(layout.property.storedName, at: 2)
        properties.bind(place, at: 3)
        while try session.step(properties) {}
      }
    }
  }

  /// Writes the counters that changed.
  func store(_ counters: Counters, of catalog: Catalog, in session: ReadSession) throws(StorageError) {
    guard !counters.changed.isEmpty else { return }
    let statement = try session.cached(CatalogStatements.setCounters)
    for table in counters.changed {
      statement.bind(catalog.tables[table].objectType.name, at: 1)
      statement.bind(counters.nextKey[table], at: 2)
      statement.bind(counters.count[table], at: 3)
      while try session.step(statement) {}
      guard let last = counters.lastID[table] else { continue }
      let row = try session.cached(CatalogStatements.setMeta)
      row.bind(Self.lastIDPrefix + catalog.tables[table].objectType.name, at: 1)
      row.bind(last, at: 2)
      while try session.step(row) {}
    }
  }

  private static let lastIDPrefix = "autoincrement "

  /// Returns the largest primary key that objects of the class ever had, where they are counted: those that were there when this
  /// began, or came with a file of others, say so themselves.
  private func lastID(in table: TableLayout) throws(StorageError) -> Int64? {
    guard table.objectType.countsPrimaryKeys, let index = table.objectType.primaryKeyIndex else { return nil }
    let row = try session.cached(CatalogStatements.meta)
    row.bind(Self.lastIDPrefix + table.objectType.name, at: 1)
    let stored = try session.integer(row) ?? 0
    let largest = try session.integer(
      session.prepare(RowStatements.largestValue(table.properties[index], in: table)))
    return max(stored, largest ?? 0, 0)
  }

  private func storeLastIDs(_ counters: Counters, of catalog: Catalog) throws(StorageError) {
    let removal = try session.cached(CatalogStatements.removeMeta)
    removal.bind(Self.lastIDPrefix + "*", at: 1)
    while try session.step(removal) {}
    for (index, table) in catalog.tables.enumerated() {
      guard let last = counters.lastID[index] else { continue }
      try set(Self.lastIDPrefix + table.objectType.name) { $0.bind(last, at: 2) }
    }
  }

  private struct Place: Hashable {
    let objectType: String
    let property: String

    init(_ objectType: String, _ property: String) {
      self.objectType = objectType
      self.property = property
    }
  }

  private func places() throws(StorageError) -> [Place: String] {
    var places: [Place: String] = [:]
    let rows = try session.prepare(CatalogStatements.properties)
    while try session.step(rows) {
      places[Place(rows.string(at: 0), rows.string(at: 1))] = rows.string(at: 2)
    }
    return places
  }

  /// Notes which commit changed the schema last.
  func storeSchemaVersion(_ version: Int64) throws(StorageError) {
    try set("schema_version") { $0.bind(version, at: 2) }
  }

  private static let shapePrefix = "shape "

  private func shapeVersion(of type: ObjectType) throws(StorageError) -> Int64 {
    let row = try session.cached(CatalogStatements.meta)
    row.bind(Self.shapePrefix + type.name, at: 1)
    return try session.integer(row) ?? 0
  }

  private func storeShapeVersions(of catalog: Catalog) throws(StorageError) {
    let removal = try session.cached(CatalogStatements.removeMeta)
    removal.bind(Self.shapePrefix + "*", at: 1)
    while try session.step(removal) {}
    for table in catalog.tables where table.shapeVersion > 0 {
      try set(Self.shapePrefix + table.objectType.name) { $0.bind(table.shapeVersion, at: 2) }
    }
  }

  private func schema() throws(StorageError) -> Schema {
    let row = try session.prepare(CatalogStatements.schema)
    guard try session.step(row) else { throw .corrupt("schema") }
    defer { row.reset() }
    guard let notation = try? Value(json: row.text(at: 0)), let schema = try? Schema(notation: notation)
    else { throw .corrupt("schema") }
    return schema
  }

  private func store(_ schema: Schema, generation: Int64) throws(StorageError) {
    try set("schema") { row in
      schema.notation.plainJSON.withUnsafeBufferPointer { row.bind(text: $0, at: 2) }
    }
    try set("generation") { $0.bind(generation, at: 2) }
  }

  /// Stores the value that `bind` binds as `?2` under a name in `_meta`.
  private func set(_ name: String, bind: (Statement) -> Void) throws(StorageError) {
    let row = try session.cached(CatalogStatements.setMeta)
    row.bind(name, at: 1)
    bind(row)
    while try session.step(row) {}
  }
}
