import GatehouseModel
import GatehouseSQLite

/// Takes out of a scratch file the objects that somebody may not see, as their deletion would: links to them are null, lists
/// and sets lose them.
struct PastConcealment {
  private let statements: WriteStatements
  private let objects: ObjectStore
  private let links: LinkIndex
  /// The places of the classes that the file has.
  private let tables: [Int]
  private var session: ReadSession { statements.session }
  private var catalog: Catalog { statements.catalog }

  init(statements: WriteStatements, objects: ObjectStore, links: LinkIndex, _ tables: [Int]) {
    self.statements = statements
    self.objects = objects
    self.links = links
    self.tables = tables
  }

  /// Keeps of the classes with such places no other objects than those with these keys.
  func keep(_ kept: [Int: Set<Int64>]) throws(StorageError) {
    try execute(PastStatements.makeHidden)
    for (table, kept) in kept.sorted(by: { $0.key < $1.key }) {
      let all = try statements.integers(session.prepare(PastStatements.keys(catalog.tables[table].table)))
      let hidden = all.filter { !kept.contains($0) }
      if !hidden.isEmpty { try remove(hidden, from: table) }
    }
  }

  private func remove(_ keys: [Int64], from table: Int) throws(StorageError) {
    try execute(PastStatements.clearHidden)
    let insertion = try session.cached(PastStatements.insertHidden)
    for key in keys {
      insertion.bind(key, at: 1)
      while try session.step(insertion) {}
    }
    for link in catalog.incoming[table] where tables.contains(link.table) {
      try unlink(catalog.tables[link.table].properties[link.property], of: catalog.tables[link.table])
    }
    for key in keys {
      let row = RowAddress(table: table, key: key)
      for owner in try links.mixed.owners(of: row) { try unlink(row, from: owner.property, of: owner.row) }
      try links.mixed.remove(to: row)
      try objects.delete(row)
    }
  }

  private func unlink(_ layout: PropertyLayout, of owner: TableLayout) throws(StorageError) {
    switch layout.property.type {
    case .one: try execute(PastStatements.unlink(owner.table, layout.column))
    case .map: try execute(PastStatements.unlink(layout.child, "value"))
    case .list:
      try execute(PastStatements.removeLinks(layout.child))
      let removal = try session.prepare(PastStatements.removeBlocks)
      removal.bind(layout.name ?? "", at: 1)
      while try session.step(removal) {}
    case .set: try execute(PastStatements.removeLinks(layout.child))
    case .linkingObjects: break
    }
  }

  /// Sets lose a link, other mixed values have null in its place.
  private func unlink(
    _ target: RowAddress, from property: Int, of owner: RowAddress
  ) throws(StorageError) {
    let layout = statements.layout(of: property, in: owner)
    guard case .set = layout.property.type else {
      return try links.mixed.unlink(target, from: property, of: owner)
    }
    let removal = try session.cached(PastStatements.removeMember(layout.child))
    removal.bind(owner.key, at: 1)
    let link = ObjectLink(objectType: statements.className(of: target), key: ObjectKey(target.key))
    removal.bind(.link(link), as: .mixed, at: 2)
    while try session.step(removal) {}
  }

  private func execute(_ sql: String) throws(StorageError) {
    do { try session.connection.execute(sql) } catch { throw StorageError(error) }
  }
}
