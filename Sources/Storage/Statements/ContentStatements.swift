/// The statements by which all of a file is read.
enum ContentStatements {
  /// → kind, name and text of what was made, by name; what SQLite keeps for itself is not among it.
  static let schema = """
    SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
    ORDER BY name, type
    """

  /// → the columns of each row, the rowid before them where it is what rows are found by.
  static func rows(of table: String, key: [String]) -> String {
    // Each file has these for itself.
    let own = "'\(ReplicationStatements.pointName)', '\(CatalogStatements.probeName)'"
    let condition = table == "_meta" ? "WHERE name NOT IN (\(own))" : ""
    let from = "FROM main.\(quoted(table)) \(condition)"
    guard !key.isEmpty else { return "SELECT rowid, * \(from) ORDER BY rowid" }
    return "SELECT * \(from) ORDER BY \(key.map(quoted).joined(separator: ", "))"
  }
}
