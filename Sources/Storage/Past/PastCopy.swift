import GatehouseModel
import GatehouseSQLite

/// Copies classes of the store's file, as of one moment, into a scratch file with the same tables.
struct PastCopy {
  let session: ReadSession
  /// The places of the classes in the catalog.
  let tables: [Int]
  private var catalog: Catalog { session.catalog }

  /// Makes the tables, and fills them from the file at `path`; returns the version of the moment, and the counters.
  ///
  /// The transaction stays open. Throws ``StorageError/schemaChanged`` where the file has another schema by now.
  func copy(from path: String) throws(StorageError) -> (version: Int64, counters: Counters) {
    let attachment = try session.prepare(PastStatements.attach)
    attachment.bind(path, at: 1)
    while try session.step(attachment) {}
    try execute(TransactionStatements.beginReading)
    guard try session.integer(session.prepare(PastStatements.generation)) == catalog.generation else {
      throw .schemaChanged
    }
    let version = try session.integer(session.prepare(PastStatements.lastVersion)) ?? 0
    let counters = try counters()
    try CatalogTables(session.connection).store(catalog, counters)
    for index in tables { try copy(catalog.tables[index]) }
    return (version, counters)
  }

  private func copy(_ table: TableLayout) throws(StorageError) {
    try execute(table.definition)
    for layout in table.properties {
      let isOwn = layout.isColumn && layout.property.name != table.objectType.primaryKey?.name
      for definition in table.definitions(of: layout) {
        try execute(isOwn ? PastStatements.withoutUnique(definition) : definition)
      }
    }
    let own = ["_key"] + (table.objectType.isEmbedded ? [] : ["_version"])
    try execute(PastStatements.copy(table.table, own + table.columns.map(\.layout.column)))
    for layout in table.properties where layout.element != nil && !layout.isColumn {
      try execute(PastStatements.copy(layout.child, layout.childColumns))
      guard case .list = layout.property.type else { continue }
      try run(PastStatements.copyBlocks, layout.name ?? "")
    }
    try run(PastStatements.copyMixedLinks, table.objectType.name)
    // Their definition takes in what is there, and keeps up with what changes.
    for structure in table.structures {
      for definition in structure.definition { try execute(PastStatements.withoutUnique(definition)) }
    }
  }

  private func counters() throws(StorageError) -> Counters {
    var counters = Counters(nextKey: [], count: [])
    let row = try session.prepare(PastStatements.counters)
    for table in catalog.tables {
      row.bind(table.objectType.name, at: 1)
      guard try session.step(row) else { throw .corrupt("class without table") }
      let (next, count) = (row.int64(at: 0), row.int64(at: 1))
      guard Counters.keys ~= next, Counters.countable ~= count else { throw .corrupt("counters of a class") }
      counters.nextKey.append(next)
      counters.count.append(count)
      row.reset()
    }
    return counters
  }

  private func run(_ sql: String, _ name: String) throws(StorageError) {
    let statement = try session.prepare(sql)
    statement.bind(name, at: 1)
    while try session.step(statement) {}
  }

  private func execute(_ sql: String) throws(StorageError) {
    do { try session.connection.execute(sql) } catch { throw StorageError(error) }
  }
}

extension PropertyLayout {
  /// The columns of the child table.
  fileprivate var childColumns: [String] {
    switch property.type {
    case .one, .linkingObjects: []
    case .list: ["owner", "position", "value"]
    case .map: ["owner", "key", "value"]
    case .set: ["owner", "value"]
    }
  }
}
