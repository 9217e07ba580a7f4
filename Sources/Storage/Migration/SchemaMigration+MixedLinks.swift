import GatehouseModel
import GatehouseSQLite

extension SchemaMigration {
  /// Has links inside mixed values, and the notes of them, name a class as it is called from now on.
  func renameMixedLinks(_ rename: ClassRename) throws(StorageError) {
    try relabel("owner", rename)
    let places = try session.prepare("SELECT DISTINCT owner, property FROM _mixed_links WHERE target = ?1")
    places.bind(rename.from, at: 1)
    var layouts: [(table: TableLayout, layout: PropertyLayout)] = []
    while try session.step(places) {
      let table = try catalog.table(places.string(at: 0))
      let property = places.string(at: 1)
      if let layout = table.properties.first(where: { $0.property.storedName == property }) {
        layouts.append((table, layout))
      }
    }
    for (table, layout) in layouts {
      let update = try session.prepare(layout.withRenamedLinks(in: table))
      update.bind(rename.from, at: 1)
      update.bind(rename.to, at: 2)
      update.bind(table.objectType.name, at: 3)
      update.bind(layout.property.storedName, at: 4)
      while try session.step(update) {}
    }
    try relabel("target", rename)
  }

  private func relabel(_ column: String, _ rename: ClassRename) throws(StorageError) {
    let update = try session.prepare("UPDATE _mixed_links SET \(column) = ?2 WHERE \(column) = ?1")
    update.bind(rename.from, at: 1)
    update.bind(rename.to, at: 2)
    while try session.step(update) {}
  }

  /// Forgets the links inside mixed values of objects of the class, which goes.
  func forgetMixedLinks(of objectType: String) throws(StorageError) {
    let notes = try session.prepare("DELETE FROM _mixed_links WHERE owner = ?1")
    notes.bind(objectType, at: 1)
    while try session.step(notes) {}
  }

  /// Makes null of every link to an object of the class, which goes, inside a mixed value.
  func unlinkMixed(_ objectType: String) throws(StorageError) {
    let links = try session.prepare(
      "SELECT DISTINCT owner, owner_key, property, target_key FROM _mixed_links WHERE target = ?1")
    links.bind(objectType, at: 1)
    while try session.step(links) {
      guard let table = try? catalog.table(links.string(at: 0)),
        let layout = table.properties.first(where: { $0.property.storedName == links.string(at: 2) })
      else { continue }
      let update = try session.prepare(layout.withoutLink(in: table))
      update.bind(links.int64(at: 1), at: 1)
      update.bind(objectType, at: 2)
      update.bind(links.int64(at: 3), at: 3)
      while try session.step(update) {}
    }
    let removal = try session.prepare("DELETE FROM _mixed_links WHERE target = ?1")
    removal.bind(objectType, at: 1)
    while try session.step(removal) {}
  }
}

extension PropertyLayout {
  /// SQL that makes null of every link to an object (`?2` class, `?3` object key) in this mixed property of object
  /// `?1` of the table. A set loses it, as other sets of links do: null would tell of an object that somebody never saw.
  func withoutLink(in table: TableLayout) -> String {
    if case .set = property.type {
      return """
        DELETE FROM \(child) \
        WHERE owner = ?1 AND typeof(value) = 'blob' AND without_link(value, ?2, ?3) IS NULL
        """
    }
    return changingLinks("without_link", "?2, ?3", in: table)
  }

  /// SQL that has every link to an object (`?2` class, `?3` object key) in this mixed property of object `?1` of the
  /// table lead to the object with the key `?4`.
  func withLink(in table: TableLayout) -> String {
    changingLinks("with_link", "?2, ?3, ?4", in: table)
  }

  /// SQL that has links to objects of a class (`?1`) name it otherwise (`?2`) in this mixed property of the objects of the class `?3`
  /// which are noted for it (`?4`).
  func withRenamedLinks(in table: TableLayout) -> String {
    let (name, column, key) = isColumn ? (table.table, self.column, "_key") : (child, "value", "owner")
    return """
      UPDATE \(name) SET \(column) = with_class(\(column), ?1, ?2) WHERE typeof(\(column)) = 'blob' \
      AND \(key) IN (SELECT owner_key FROM _mixed_links WHERE target = ?1 AND owner = ?3 AND property = ?4)
      """
  }

  private func changingLinks(_ function: String, _ arguments: String, in table: TableLayout) -> String {
    let (name, column, condition) = isColumn ? (table.table, self.column, "_key") : (child, "value", "owner")
    // A set that has the value already has it once.
    return """
      UPDATE OR REPLACE \(name) SET \(column) = \(function)(\(column), \(arguments)) \
      WHERE \(condition) = ?1 AND typeof(\(column)) = 'blob'
      """
  }
}
