/// The statements that read the child table of a list, set or map. `?1` is the owner's key where nothing else is said.
enum ElementStatements {
  /// `?2` key → the value of a map's entry.
  static func valueAtKey(_ layout: PropertyLayout) -> String {
    "SELECT value FROM \(layout.child) WHERE owner = ?1 AND key = ?2"
  }

  /// `?2` position → the value of a list's element.
  static func valueAtPosition(_ layout: PropertyLayout) -> String {
    "SELECT value FROM \(layout.child) WHERE owner = ?1 AND position = ?2"
  }

  /// → the number of elements.
  static func count(_ layout: PropertyLayout) -> String {
    "SELECT count(*) FROM \(layout.child) WHERE owner = ?1"
  }

  /// → all values, in no order.
  static func values(_ layout: PropertyLayout) -> String {
    "SELECT value FROM \(layout.child) WHERE owner = ?1"
  }

  /// → the values of a list, in order.
  static func valuesByPosition(_ layout: PropertyLayout) -> String {
    "\(values(layout)) ORDER BY position"
  }

  /// → the values of a map, in the order of its keys.
  static func valuesByKey(_ layout: PropertyLayout) -> String { "\(values(layout)) ORDER BY key" }

  /// → the keys of a map, in order.
  static func keys(_ layout: PropertyLayout) -> String {
    "SELECT key FROM \(layout.child) WHERE owner = ?1 ORDER BY key"
  }

  /// `?1` value → the owners of elements that have it, once per element.
  static func owners(_ layout: PropertyLayout) -> String {
    "SELECT owner FROM \(layout.child) WHERE value = ?1"
  }

  /// `?1` value → the owners of elements that have it, once per element, in order.
  static func orderedOwners(_ layout: PropertyLayout) -> String { "\(owners(layout)) ORDER BY owner" }

  /// `?1` value → the owners of elements that have it, each once.
  static func distinctOwners(_ layout: PropertyLayout) -> String {
    "SELECT DISTINCT owner FROM \(layout.child) WHERE value = ?1"
  }

  /// `?1` value → owner and key of a map's entries that have it, in order.
  static func ownersAndKeys(_ layout: PropertyLayout) -> String {
    "SELECT owner, key FROM \(layout.child) WHERE value = ?1 ORDER BY owner, key"
  }

  /// `?1` value → owner and position of a list's elements that have it, in order.
  static func ownersAndPositions(_ layout: PropertyLayout) -> String {
    "SELECT owner, position FROM \(layout.child) WHERE value = ?1 ORDER BY owner, position"
  }

  /// `?2` limit → value of each element and the term that they are ordered by, where a condition holds, `?3` in it.
  static func page(_ layout: PropertyLayout, where condition: String, orderedBy order: String) -> String {
    "SELECT value, \(order) FROM \(layout.child) WHERE owner = ?1\(condition) ORDER BY \(order) LIMIT ?2"
  }

  /// `?2` offset → the value of a list's element.
  static func valueFromStart(_ layout: PropertyLayout) -> String {
    "\(valuesByPosition(layout)) LIMIT 1 OFFSET ?2"
  }

  // Positions of lists

  /// `?2` and `?3` two positions → the number of elements from the first to before the second.
  static func countBetween(_ layout: PropertyLayout) -> String {
    "SELECT count(*) FROM \(layout.child) WHERE owner = ?1 AND position >= ?2 AND position < ?3"
  }

  /// `?2` offset, `?3` position → the position of the element of that number from there on.
  static func positionFromStart(_ layout: PropertyLayout) -> String {
    "SELECT position FROM \(layout.child) WHERE owner = ?1 AND position >= ?3 ORDER BY position LIMIT 1 OFFSET ?2"
  }

  /// `?2` offset, `?3` position → the position of the element of that number from the end back to there.
  static func positionFromEnd(_ layout: PropertyLayout) -> String {
    """
    SELECT position FROM \(layout.child) WHERE owner = ?1 AND position >= ?3 \
    ORDER BY position DESC LIMIT 1 OFFSET ?2
    """
  }

  /// `?2` position, `?3` limit → the positions from there on.
  static func positions(_ layout: PropertyLayout) -> String {
    "SELECT position FROM \(layout.child) WHERE owner = ?1 AND position >= ?2 ORDER BY position LIMIT ?3"
  }

  /// `?2` position → the one before it.
  static func positionBefore(_ layout: PropertyLayout) -> String {
    "SELECT position FROM \(layout.child) WHERE owner = ?1 AND position < ?2 ORDER BY position DESC LIMIT 1"
  }

  /// `?2` position, `?3` another position.
  static func move(_ layout: PropertyLayout) -> String {
    "UPDATE \(layout.child) SET position = ?3 WHERE owner = ?1 AND position = ?2"
  }

  /// `?2` value: removes it from a set.
  static func removeMember(_ layout: PropertyLayout) -> String {
    "DELETE FROM \(layout.child) WHERE owner = ?1 AND \(layout.member("value")) IS \(layout.member("?2"))"
  }

  // An expression of the value of each element, whose table is called `c`.

  /// → the elements of a list, in order.
  static func list(_ expression: String, _ layout: PropertyLayout, where condition: String?) -> String {
    """
    SELECT \(expression) FROM \(layout.child) AS c WHERE c.owner = ?1\(and(condition)) ORDER BY c.position
    """
  }

  /// → the elements of a set, in order.
  static func set(_ expression: String, _ layout: PropertyLayout, where condition: String?) -> String {
    """
    SELECT \(expression) FROM \(layout.child) AS c WHERE c.owner = ?1\(and(condition)) \
    ORDER BY \(layout.member("c.value"))
    """
  }

  private static func and(_ condition: String?) -> String { condition.map { " AND \($0)" } ?? "" }

  /// → keys and elements of a map, in order.
  static func map(_ expression: String, _ layout: PropertyLayout) -> String {
    "SELECT c.key, \(expression) FROM \(layout.child) AS c WHERE c.owner = ?1 ORDER BY c.key"
  }

  /// `?2` key, position or value → the element. A set has null once, which `=` does not find.
  static func element(_ expression: String, _ layout: PropertyLayout, by selector: ElementSelector) -> String
  {
    let (column, wanted) =
      selector == .value ? (layout.member("c.value"), layout.member("?2")) : ("c.\(selector.rawValue)", "?2")
    return "SELECT \(expression) FROM \(layout.child) AS c WHERE c.owner = ?1 AND \(column) IS \(wanted)"
  }

  /// `?1` object key of a target → an expression of each object `t` that links to it by an element, once per link, in the
  /// order of keys.
  static func linkingObjects(
    _ expression: String, by property: PropertyLayout, in table: TableLayout, where condition: String?
  ) -> String {
    """
    SELECT \(expression) FROM \(property.child) AS c JOIN \(table.table) AS t ON t._key = c.owner \
    WHERE c.value = ?1\(and(condition)) ORDER BY t._key
    """
  }
}

/// The column by which a statement finds an element.
enum ElementSelector: String {
  case key
  case position
  case value
}
