/// The statements on a scratch file, `main`, with the store's file, `present`, beside it.
enum PastStatements {
  /// `?1` path of the store's file.
  static let attach = "ATTACH DATABASE ?1 AS present"
  /// → the number of changes of the schema.
  static let generation = "SELECT value FROM present._meta WHERE name = 'generation'"
  /// → the last version.
  static let lastVersion = "SELECT max(version) FROM present._commits"
  /// `?1` class → the next object key, and the number of objects.
  static let counters = "SELECT next_key, objects FROM present._classes WHERE name = ?1"

  /// Copies columns of a table.
  static func copy(_ table: String, _ columns: [String]) -> String {
    let columns = columns.joined(separator: ", ")
    return "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM present.\(table)"
  }

  /// `?1` list: copies its blocks.
  static let copyBlocks = "INSERT INTO main._list_blocks SELECT * FROM present._list_blocks WHERE list = ?1"
  /// `?1` class: copies the notes of the links inside mixed values of its objects.
  static let copyMixedLinks = """
    INSERT INTO main._mixed_links (target, target_key, owner, owner_key, property) \
    SELECT target, target_key, owner, owner_key, property FROM present._mixed_links WHERE owner = ?1
    """

  /// Returns a definition, of an index that takes equal values: what is unique now need not have been.
  static func withoutUnique(_ definition: String) -> String {
    let unique = "CREATE UNIQUE INDEX "
    return definition.hasPrefix(unique)
      ? "CREATE INDEX " + definition.dropFirst(unique.count) : definition
  }

  /// → the keys of all objects of a table.
  static func keys(_ table: String) -> String { "SELECT _key FROM \(table)" }

  // Objects that are taken out, by their keys

  static let makeHidden = "CREATE TEMP TABLE _hidden (key INTEGER PRIMARY KEY)"
  static let clearHidden = "DELETE FROM temp._hidden"
  static let insertHidden = "INSERT INTO temp._hidden VALUES (?1)"

  /// Makes null of links to hidden objects.
  static func unlink(_ table: String, _ column: String) -> String {
    "UPDATE \(table) SET \(column) = NULL WHERE \(column) IN (SELECT key FROM temp._hidden)"
  }

  /// Removes links to hidden objects from a collection.
  static func removeLinks(_ table: String) -> String {
    "DELETE FROM \(table) WHERE value IN (SELECT key FROM temp._hidden)"
  }

  /// `?1` owner, `?2` value: removes it from a set.
  static func removeMember(_ table: String) -> String {
    "DELETE FROM \(table) WHERE owner = ?1 AND value = ?2"
  }

  /// `?1` list: removes its blocks, without which its elements are counted one by one.
  static let removeBlocks = "DELETE FROM _list_blocks WHERE list = ?1"
}
