/// The statements by which rows are replicated: made from the names of tables and columns, as the file has them.
enum ReplicationStatements {
  /// The name of the row of `_meta` that has the place in the transaction log. A file that has it belongs to a cluster.
  static let pointName = "replication_point"
  /// → the place in the transaction log.
  static let point = "SELECT value FROM _meta WHERE name = 'replication_point'"

  /// Has the file belong to no cluster.
  static let removePoint = "DELETE FROM _meta WHERE name = 'replication_point'"

  /// The beginnings of statements that change the schema, as those of ours are written.
  static let schemaVerbs = ["CREATE ", "ALTER TABLE ", "DROP "]

  /// → number, name, type, whether it is not null, default and place in the key of each column.
  static func columns(of table: String) -> String { "PRAGMA main.table_info(\(quoted(table)))" }

  /// Cannot be prepared where the table has none.
  static func rowids(of table: String) -> String { "SELECT rowid FROM main.\(quoted(table))" }

  /// `?1` the rowid, where rows are found by it, then the columns.
  static func insert(into table: String, columns: [String], hasRowid: Bool) -> String {
    let names = (hasRowid ? ["rowid"] : []) + columns.map(quoted)
    let places = names.indices.map { "?\($0 + 1)" }
    return """
      INSERT INTO main.\(quoted(table)) (\(names.joined(separator: ", "))) \
      VALUES (\(places.joined(separator: ", ")))
      """
  }

  /// `?1` … the columns of the key, or the rowid, then the columns that change.
  static func update(_ table: String, set columns: [String], by key: [String]) -> String {
    let first = max(key.count, 1) + 1
    let values = columns.enumerated().map { "\(quoted($1)) = ?\($0 + first)" }
    return "UPDATE main.\(quoted(table)) SET \(values.joined(separator: ", ")) WHERE \(condition(key))"
  }

  /// `?1` … the columns of the key, or the rowid.
  static func delete(from table: String, by key: [String]) -> String {
    "DELETE FROM main.\(quoted(table)) WHERE \(condition(key))"
  }

  private static func condition(_ key: [String]) -> String {
    guard !key.isEmpty else { return "rowid = ?1" }
    return key.enumerated().map { "\(quoted($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
  }
}
