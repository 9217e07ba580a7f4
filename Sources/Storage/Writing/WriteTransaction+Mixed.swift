import Model
import SQLite

// Typed links inside mixed values can lead from any property to any class, so that no column's index finds
// them: `_mixed_links` does.
extension WriteTransaction {
  /// Remembers that a mixed value of the property links to an object.
  func noteMixedLink(
    to target: ObjectLink, from subject: RowAddress, _ layout: PropertyLayout
  ) throws(StorageError) {
    let statement = try reading.cached(
      "INSERT INTO _mixed_links (target, target_key, owner, owner_key, property) VALUES (?1, ?2, ?3, ?4, ?5)")
    statement.bind(target.objectType, at: 1)
    statement.bind(target.key.value, at: 2)
    statement.bind(catalog.tables[subject.table].objectType.name, at: 3)
    statement.bind(subject.key, at: 4)
    statement.bind(layout.property.storedName, at: 5)
    try run(statement)
  }

  /// Forgets the links of the object's mixed values, or of one property's.
  func forgetMixedLinks(
    of subject: RowAddress, _ layout: PropertyLayout? = nil
  ) throws(StorageError) {
    let table = catalog.tables[subject.table]
    guard layout.map({ $0.element == .mixed }) ?? table.properties.contains(where: { $0.element == .mixed })
    else { return }
    let condition = layout == nil ? "" : " AND property = ?3"
    let statement = try reading.cached(
      "DELETE FROM _mixed_links WHERE owner = ?1 AND owner_key = ?2\(condition)")
    statement.bind(table.objectType.name, at: 1)
    statement.bind(subject.key, at: 2)
    if let layout { statement.bind(layout.property.storedName, at: 3) }
    try run(statement)
  }

  /// Makes null of every link to the object inside a mixed value.
  func unlinkMixed(_ subject: RowAddress) throws(StorageError) {
    guard hasMixedLinks else { return }
    let target = catalog.tables[subject.table].objectType.name
    let query = try reading.cached(
      "SELECT DISTINCT owner, owner_key, property FROM _mixed_links WHERE target = ?1 AND target_key = ?2")
    query.bind(target, at: 1)
    query.bind(subject.key, at: 2)
    var owners: [(subject: RowAddress, property: Int)] = []
    while try reading.step(query) {
      let table = try catalog.index(of: query.string(at: 0))
      let storedName = query.string(at: 2)
      let properties = catalog.tables[table].properties
      guard let index = properties.firstIndex(where: { $0.property.storedName == storedName }) else {
        continue
      }
      owners.append((RowAddress(table: table, key: query.int64(at: 1)), index))
    }
    guard !owners.isEmpty else { return }
    for owner in owners {
      // The link may be gone since: an entry that was taken out of a map leaves its note behind.
      try willChangeRoot(owner.property, of: owner.subject, ignoringEqual: true)
      try unlink(target, subject.key, from: owner.property, of: owner.subject)
    }
    let removal = try reading.cached("DELETE FROM _mixed_links WHERE target = ?1 AND target_key = ?2")
    removal.bind(target, at: 1)
    removal.bind(subject.key, at: 2)
    try run(removal)
  }

  /// Has the links inside mixed values that hold a promise's key lead to the object.
  func relink(
    _ key: Int64, to subject: RowAddress, in place: ForwardReference.Place
  ) throws(StorageError) {
    let (table, target) = (catalog.tables[place.table], catalog.tables[subject.table].objectType.name)
    let query = try reading.cached(
      """
      SELECT DISTINCT owner_key FROM _mixed_links \
      WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4
      """)
    let notes = try reading.cached(
      """
      UPDATE _mixed_links SET target_key = ?5 \
      WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4
      """)
    for statement in [query, notes] {
      statement.bind(target, at: 1)
      statement.bind(key, at: 2)
      statement.bind(table.objectType.name, at: 3)
      statement.bind(table.properties[place.property].property.storedName, at: 4)
    }
    let statement = try reading.cached(table.properties[place.property].withLink(in: table))
    for owner in try integers(query) {
      statement.bind(owner, at: 1)
      statement.bind(target, at: 2)
      statement.bind(key, at: 3)
      statement.bind(subject.key, at: 4)
      try run(statement)
    }
    notes.bind(subject.key, at: 5)
    try run(notes)
  }

  private func unlink(
    _ target: String, _ key: Int64, from property: Int, of owner: RowAddress
  ) throws(StorageError) {
    let table = catalog.tables[owner.table]
    let statement = try reading.cached(table.properties[property].withoutLink(in: table))
    statement.bind(owner.key, at: 1)
    statement.bind(target, at: 2)
    statement.bind(key, at: 3)
    try run(statement)
  }
}

extension Mixed {
  /// The value with another one, null or a link, in place of every link to that object.
  func replacing(_ link: ObjectLink, with other: Mixed) -> Mixed {
    switch self {
    case .link(link): other
    case .list(let values): .list(values.map { $0.replacing(link, with: other) })
    case .dictionary(let entries):
      .dictionary(entries.map { Entry(key: $0.key, value: $0.value.replacing(link, with: other)) })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      self
    }
  }
}
