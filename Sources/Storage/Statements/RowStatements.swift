/// The statements that read the table of one class. An identifier is what clients identify an object by.
enum RowStatements {
  /// `?1` identifier, which is not null → object key.
  static func key(in table: TableLayout) -> String {
    "SELECT _key FROM \(table.table) WHERE \(table.identifies("?1"))"
  }

  /// `?1` identifier, null included → object key.
  static func keyOrNull(in table: TableLayout) -> String {
    "SELECT _key FROM \(table.table) WHERE \(table.identifies("?1", orIsNull: true))"
  }

  /// `?1` identifier, null included → object key, version.
  static func keyAndVersion(in table: TableLayout) -> String {
    "SELECT _key, \(table.version()) FROM \(table.table) WHERE \(table.identifies("?1", orIsNull: true))"
  }

  /// Gives the largest value of a property, or null.
  static func largestValue(_ property: PropertyLayout, in table: TableLayout) -> String {
    "SELECT max(\(property.column)) FROM \(table.table)"
  }

  /// Gives the keys of all objects, in order.
  static func keys(in table: TableLayout) -> String { "SELECT _key FROM \(table.table) ORDER BY _key" }

  /// `?1` object key → a row, if there is such an object.
  static func exists(in table: TableLayout) -> String { "SELECT 1 FROM \(table.table) WHERE _key = ?1" }

  /// `?1` object key → identifier.
  static func identifier(in table: TableLayout) -> String {
    "SELECT \(table.identifierColumn) FROM \(table.table) WHERE _key = ?1"
  }

  /// `?1` object key → version: that of the last change of the object, or of what its class shows.
  static func version(in table: TableLayout) -> String {
    "SELECT \(table.version()) FROM \(table.table) WHERE _key = ?1"
  }

  /// `?1` object key → the commit that changed the object last.
  static func lastChange(in table: TableLayout) -> String {
    "SELECT _version FROM \(table.table) WHERE _key = ?1"
  }

  /// `?1` object key → the value of a property that is a column.
  static func value(_ property: PropertyLayout, in table: TableLayout) -> String {
    "SELECT \(property.column) FROM \(table.table) WHERE _key = ?1"
  }

  /// → the value of a property of the object with the largest key.
  static func newestValue(_ property: PropertyLayout, in table: TableLayout) -> String {
    "SELECT \(property.column) FROM \(table.table) ORDER BY _key DESC LIMIT 1"
  }

  /// `?1` value of a column → the keys of the objects that have it.
  static func owners(_ property: PropertyLayout, in table: TableLayout) -> String {
    "SELECT _key FROM \(table.table) WHERE \(property.column) = ?1"
  }

  /// `?1` value of a column → the keys of the objects that have it, in order.
  static func orderedOwners(_ property: PropertyLayout, in table: TableLayout) -> String {
    "\(owners(property, in: table)) ORDER BY _key"
  }

  /// `?1` object key, `?2` limit → the keys behind it, in order.
  static func keysBehind(in table: TableLayout) -> String {
    "SELECT _key FROM \(table.table) WHERE _key > ?1 ORDER BY _key LIMIT ?2"
  }

  // The table is called `t` in the columns that readers of objects ask for.

  /// `?1` identifier, which is not null → columns of the object.
  static func object(_ columns: String, in table: TableLayout) -> String {
    "SELECT \(columns) FROM \(table.table) AS t WHERE \(table.identifies("?1", of: "t."))"
  }

  /// `?1` object key → columns of the object.
  static func objectByKey(_ columns: String, in table: TableLayout) -> String {
    "SELECT \(columns) FROM \(table.table) AS t WHERE t._key = ?1"
  }

  /// `?1` and `?2` two keys → the keys and columns of the objects between them, in the order of keys.
  static func objectsByKeys(_ columns: String, in table: TableLayout) -> String {
    "SELECT t._key, \(columns) FROM \(table.table) AS t WHERE t._key BETWEEN ?1 AND ?2 ORDER BY t._key"
  }

  /// `?1` object key of a target → an expression of each object that links to it by a column, in the order of keys.
  static func linkingObjects(
    _ expression: String, by property: PropertyLayout, in table: TableLayout, where condition: String?
  ) -> String {
    let seen = condition.map { " AND \($0)" } ?? ""
    return
      "SELECT \(expression) FROM \(table.table) AS t WHERE t.\(property.column) = ?1\(seen) ORDER BY t._key"
  }

  /// An expression for the identifier of the object whose key the column has.
  static func identifier(ofKeyIn column: String, table: String, identifierColumn: String) -> String {
    "(SELECT target.\(identifierColumn) FROM \(table) AS target WHERE target._key = \(column))"
  }
}
