/// The statements on `_meta`, `_classes` and `_properties`, which describe the file.
enum CatalogStatements {
  /// → the notation of the schema.
  static let schema = "SELECT value FROM _meta WHERE name = 'schema'"
  /// → the number of changes of the schema.
  static let generation = "SELECT value FROM _meta WHERE name = 'generation'"
  /// → the commit that changed the schema last.
  static let schemaVersion = "SELECT value FROM _meta WHERE name = 'schema_version'"
  /// → the last version whose changes are gone from the log.
  static let logFloor = "SELECT value FROM _meta WHERE name = 'log_floor'"
  /// `?1` name → value.
  static let meta = "SELECT value FROM _meta WHERE name = ?1"
  /// `?1` name, `?2` value.
  static let setMeta = "INSERT OR REPLACE INTO _meta VALUES (?1, ?2)"
  /// `?1` pattern of names.
  static let removeMeta = "DELETE FROM _meta WHERE name GLOB ?1"
  /// The name of the row by which is found out whether a commit of some size is possible.
  static let probeName = "probe"
  /// Commits that row.
  static let commitProbe = """
    BEGIN IMMEDIATE;
    INSERT OR REPLACE INTO _meta VALUES ('\(probeName)', zeroblob(65536));
    COMMIT;
    """
  /// Removes it, where it is there.
  static let removeProbe = "DELETE FROM _meta WHERE name = '\(probeName)'"

  /// `?1` class → the name of its table, the next object key, the number of objects.
  static let tableOfClass = "SELECT table_name, next_key, objects FROM _classes WHERE name = ?1"
  /// `?1` class → the number of its objects.
  static let objectCount = "SELECT objects FROM _classes WHERE name = ?1"
  /// `?1` class → the key that the next object gets.
  static let nextKey = "SELECT next_key FROM _classes WHERE name = ?1"
  /// `?1` class, `?2` the next object key, `?3` the number of objects.
  static let setCounters = "UPDATE _classes SET next_key = ?2, objects = ?3 WHERE name = ?1"
  /// `?1` class, `?2` name of its table, `?3` the next object key, `?4` the number of objects.
  static let insertClass = "INSERT INTO _classes VALUES (?1, ?2, ?3, ?4)"

  /// → class, property, and the name that the file has for it, of all properties.
  static let properties = "SELECT class, property, place FROM _properties"
  /// `?1` class, `?2` property, `?3` the name that the file has for it.
  static let insertProperty = "INSERT INTO _properties VALUES (?1, ?2, ?3)"

  /// Removes all classes and properties.
  static let clear = "DELETE FROM _classes; DELETE FROM _properties"
}
