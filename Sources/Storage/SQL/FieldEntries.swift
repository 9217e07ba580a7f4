import GatehouseModel

/// The statements on the entries of an index of documents: those that have a value.
struct FieldEntries {
  private let entries: String
  private let place: String
  private let table: String

  init?(_ table: TableLayout, _ index: ObjectType.Index) {
    guard let key = index.keys.first, let field = index.path.first else { return nil }
    // The field is spelt out, so that SQLite knows that the index has all of them.
    entries = "\(table.properties[key.property].child) AS f WHERE f.key = \(literal(field.text))"
    place = table.fieldOrder("f.value", of: index)
    self.table = table.table
  }

  /// → the first place.
  var first: String { "SELECT \(place) FROM \(entries) AND \(place) > x'' ORDER BY \(place) LIMIT 1" }
  /// → the last place.
  var last: String { "SELECT \(place) FROM \(entries) AND \(place) > x'' ORDER BY \(place) DESC LIMIT 1" }
  /// → the number of entries.
  var count: String { "SELECT count(*) FROM \(entries) AND \(place) > x''" }
  /// `?1` place, `?2` object key → the key and the place of each entry behind that one.
  var ascending: String {
    """
    SELECT f.owner, \(place) FROM \(entries) AND \(place) >= ?1 AND (\(place) > ?1 OR f.owner > ?2) \
    ORDER BY \(place), f.owner
    """
  }
  /// The same from the last place on; those of one place are in the order of their keys as well.
  var descending: String {
    """
    SELECT f.owner, \(place) FROM \(entries) AND \(place) <= ?1 AND (\(place) < ?1 OR f.owner > ?2) \
    ORDER BY \(place) DESC, f.owner
    """
  }
  /// `?1` object key → the keys behind it of objects that have no value.
  var missing: String {
    """
    SELECT t._key FROM \(table) AS t WHERE t._key > ?1 AND NOT EXISTS (\
    SELECT 1 FROM \(entries) AND f.owner = t._key AND \(place) IS NOT NULL) ORDER BY t._key
    """
  }
}
