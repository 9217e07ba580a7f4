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
    if !source.isColumn { try noteMany(source, of: old, to: layout) }
    let rows = try session.prepare(source.singleValues(in: old))
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

  /// Notes the objects that have more elements than a single value can keep, and forgets the links in those.
  private mutating func noteMany(
    _ source: PropertyLayout, of old: TableLayout, to layout: PropertyLayout
  ) throws(StorageError) {
    let owners = try session.prepare(
      "SELECT owner, count(*) FROM \(source.child) GROUP BY owner HAVING count(*) > 1 ORDER BY owner")
    while try session.step(owners) {
      try note(.many(count: Int(owners.int64(at: 1))), of: owners.int64(at: 0), in: old, for: layout)
      guard source.element == .mixed else { continue }
      let notes = try session.cached(MixedLinkStatements.removeProperty)
      notes.bind(old.objectType.name, at: 1)
      notes.bind(owners.int64(at: 0), at: 2)
      notes.bind(source.property.storedName, at: 3)
      while try session.step(notes) {}
    }
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
    let nulls =
      switch (source.isColumn, layout.isColumn) {
      case (true, _): "SELECT _key FROM \(old.table) WHERE \(source.column) IS NULL"
      case (false, false): "SELECT owner FROM \(source.child) WHERE value IS NULL"
      case (false, true):
        """
        SELECT _key FROM \(old.table) WHERE _key NOT IN \
        (SELECT owner FROM \(source.child) GROUP BY owner HAVING count(*) > 1 OR max(value) IS NOT NULL)
        """
      }
    let rows = try session.prepare("\(nulls) ORDER BY 1 LIMIT \(SchemaConflict.mostTold)")
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
  /// SQL that gives the key and value of each object that has one value, which is not null.
  fileprivate func singleValues(in table: TableLayout) -> String {
    guard !isColumn else {
      return "SELECT _key, \(column) FROM \(table.table) WHERE \(column) IS NOT NULL"
    }
    return """
      SELECT owner, max(value) FROM \(child) GROUP BY owner HAVING count(*) = 1 AND max(value) IS NOT NULL
      """
  }

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
