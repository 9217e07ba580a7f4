import GatehouseModel
import GatehouseSQLite

extension SchemaMigration {
  /// Gives the objects of a class the values of a property that has another type now, as far as they can be converted.
  /// The others are left null, and noted.
  mutating func convert(
    _ source: PropertyLayout, of old: TableLayout, to layout: PropertyLayout
  ) throws(StorageError) {
    guard layout.isColumn else { return try convertElements(source, of: old, to: layout) }
    guard let from = source.element, let to = layout.element else { return }
    let rows = try session.prepare(
      "SELECT _key, \(source.column) FROM \(old.table) WHERE \(source.column) IS NOT NULL")
    let update = try session.prepare("UPDATE \(old.table) SET \(layout.column) = ?1 WHERE _key = ?2")
    while try session.step(rows) {
      let key = rows.int64(at: 0)
      guard let value = try rows.value(as: from, at: 1).converted(from: from, to: to) else {
        try note(.inexact(from: from, to: to), of: key, in: old, for: layout)
        continue
      }
      update.bind(value, as: to, at: 1)
      update.bind(key, at: 2)
      while try session.step(update) {}
    }
    if !layout.isOptional { try noteNulls(of: source, in: old, layout) }
  }

  /// Does so for each element of a collection, whose table is empty yet, or has a single value become the only one.
  private mutating func convertElements(
    _ source: PropertyLayout, of old: TableLayout, to layout: PropertyLayout
  ) throws(StorageError) {
    guard let from = source.element, let to = layout.element else { return }
    let rows = try session.prepare(source.elements(in: old))
    let insert = try session.prepare(layout.insertion)
    while try session.step(rows) {
      let owner = rows.int64(at: 0)
      var value = try rows.value(as: from, at: 1).converted(from: from, to: to)
      if value == nil { try note(.inexact(from: from, to: to), of: owner, in: old, for: layout) }
      if value ?? .null == .null {
        guard layout.property.type.stored?.optional == true else {
          if value != nil { try note(.null, of: owner, in: old, for: layout) }
          continue
        }
        value = .null
      }
      insert.bind(owner, at: 1)
      insert.bind(value ?? .null, as: to, at: 2)
      switch layout.property.type {
      case .list: insert.bind(rows.int64(at: 2), at: 3)
      case .map: insert.bind(text: rows.text(at: 2), at: 3)
      case .set, .one, .linkingObjects: break
      }
      while try session.step(insert) {}
      // A set has had it already.
      if hasInsertedNothing { try note(.duplicate, of: owner, in: old, for: layout) }
    }
    try keepBlocks(of: source, for: layout)
  }

  /// The elements of a list keep their positions, and so does the list its blocks.
  private func keepBlocks(of source: PropertyLayout, for layout: PropertyLayout) throws(StorageError) {
    guard case .list = source.property.type else { return }
    let blocks = try session.prepare(
      """
      INSERT INTO _list_blocks (list, owner, position, elements) \
      SELECT ?2, owner, position, elements FROM _list_blocks WHERE list = ?1
      """)
    blocks.bind(source.name ?? "", at: 1)
    blocks.bind(layout.name ?? "", at: 2)
    while try session.step(blocks) {}
  }

  /// Notes the objects that have no value in a column, for a property that must have one now, or null in a collection that may
  /// no longer have it.
  mutating func noteNulls(
    of source: PropertyLayout, in old: TableLayout, _ layout: PropertyLayout
  ) throws(StorageError) {
    guard !isDestructive || !layout.isColumn else { return }
    let (table, key, value) =
      source.isColumn ? (old.table, "_key", source.column) : (source.child, "owner", "value")
    let rows = try session.prepare(
      "SELECT \(key) FROM \(table) WHERE \(value) IS NULL ORDER BY 1 LIMIT \(SchemaConflict.mostTold)")
    while try session.step(rows) { try note(.null, of: rows.int64(at: 0), in: old, for: layout) }
  }

  /// Notes a value that cannot be kept. With leave to lose data it becomes null or the initial value; but an element of a
  /// collection only if that may be null, since to make another value of it or leave it out would be worse than to say so.
  private mutating func note(
    _ reason: UnconvertibleValue.Reason, of key: Int64, in old: TableLayout, for layout: PropertyLayout
  ) throws(StorageError) {
    let isLosable = layout.isColumn || (layout.property.type.stored?.optional == true && reason != .duplicate)
    guard !isDestructive || !isLosable else { return }
    let row = try session.cached("SELECT \(old.identifierColumn) FROM \(old.table) WHERE _key = ?1")
    row.bind(key, at: 1)
    defer { row.reset() }
    let id = try session.step(row) ? row.value(as: old.identifierType, at: 0) : .null
    unconvertible.append(
      UnconvertibleValue(
        objectType: old.objectType.name, property: layout.property.name, id: id, reason: reason,
        isLosable: isLosable))
    if unconvertible.count >= SchemaConflict.mostTold { throw .unconvertible(unconvertible) }
  }
}

extension PropertyLayout {
  /// SQL that gives the owner and value of each element, and its position or key; of a single value the owner, the value and
  /// the first position, where it is not null.
  fileprivate func elements(in table: TableLayout) -> String {
    switch property.type {
    case .one, .linkingObjects:
      """
      SELECT _key, \(column), \(ListPositions.initial(0)) FROM \(table.table) WHERE \(column) IS NOT NULL
      """
    case .list: "SELECT owner, value, position FROM \(child) ORDER BY owner, position"
    case .map: "SELECT owner, value, key FROM \(child) ORDER BY owner, key"
    case .set: "SELECT owner, value FROM \(child)"
    }
  }

  /// SQL that inserts `?1` owner, `?2` value and `?3` position or key; a value that a set has already it does not.
  fileprivate var insertion: String {
    switch property.type {
    case .list: "INSERT INTO \(child) (owner, value, position) VALUES (?1, ?2, ?3)"
    case .map: "INSERT INTO \(child) (owner, value, key) VALUES (?1, ?2, ?3)"
    case .set, .one, .linkingObjects: "INSERT OR IGNORE INTO \(child) (owner, value) VALUES (?1, ?2)"
    }
  }
}
