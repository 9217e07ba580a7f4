import GatehouseModel

/// SQLite's unique indexes, and their refusals.
extension TableLayout {
  /// The index that keeps the values of several properties, taken together, from being there twice.
  func uniqueStructure(_ key: [Int]) -> Structure {
    let columns = key.map { properties[$0] }
    // Names of columns have no point, so that no other name begins like that.
    let name = quoted(bareUniqueName(of: key))
    let places = columns.map(\.column).joined(separator: ", ")
    return Structure(
      name: name, definition: ["CREATE UNIQUE INDEX \(name) ON \(table) (\(places))"],
      removal: ["DROP INDEX IF EXISTS \(name)"], uniqueKey: key)
  }

  /// The index' name as SQLite has it in its schema.
  func bareUniqueName(of key: [Int]) -> String {
    "\(name).unique(\(key.map { properties[$0].name ?? "" }.joined(separator: ".")))"
  }

  /// Returns the unique key for which SQLite refused a row; nil: it did not, or for another reason.
  func uniqueKey(refusing error: StorageError) -> [Int]? {
    guard error.isCollision, case .sqlite(_, let message) = error else { return nil }
    return objectType.uniqueKeys.first { message == refusal(of: $0) }
  }

  /// SQLite's text where a row would have the values of a key that another one has.
  private func refusal(of key: [Int]) -> String {
    "UNIQUE constraint failed: "
      + key.map { "\(name).\(properties[$0].name ?? "")" }.joined(separator: ", ")
  }

  /// SQL of the first values of a key that several rows have: the keys of the first and the last row of each, and their
  /// number.
  func duplicates(of key: [Int], limit: Int) -> String {
    let columns = key.map { properties[$0].column }
    return """
      SELECT min(_key), max(_key), count(*) FROM \(table) \
      WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) \
      GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 ORDER BY 1 LIMIT \(limit)
      """
  }
}
