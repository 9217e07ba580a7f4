import SQLite

/// Estimates how many rows of a class a statement looks at, as SQLite does it where it has no statistics
/// (<https://sqlite.org/optoverview.html>, `sqlite3DefaultRowEst`), with them from `sqlite_stat1` where there
/// are any.
struct RowEstimate {
  let session: ReadSession
  /// How many objects the class has.
  let objects: Int64

  func rows(_ steps: [QueryStep]) throws(StorageError) -> Int64 {
    var sum: Int64 = 0
    for step in steps where step.isAboutRows { sum += try rows(step) }
    return min(sum, objects)
  }

  private func rows(_ step: QueryStep) throws(StorageError) -> Int64 {
    if step.isByKey { return 1 }
    guard !step.isScan else { return objects }
    var rows = objects
    if step.equalities > 0 {
      rows = try average(of: step.index ?? "", columns: step.equalities) ?? 10
    }
    // A bound leaves a quarter, as SQLite has it.
    for _ in 0..<step.bounds { rows /= 4 }
    return max(rows, 1)
  }

  /// How many rows of an index share the values of its first columns; nil where that is not known.
  private func average(of index: String, columns: Int) throws(StorageError) -> Int64? {
    guard try isUnique(index) == false else { return 1 }
    let tables = try session.cached("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'")
    guard try session.integer(tables) == 1 else { return nil }
    let statement = try session.cached("SELECT stat FROM sqlite_stat1 WHERE idx = ?1")
    statement.bind(index, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    // The number of rows, then for each column how many share the values up to it.
    let numbers = statement.string(at: 0).split(separator: " ").map { Int64($0) }
    return numbers.indices.contains(columns) ? numbers[columns] : nil
  }

  private func isUnique(_ index: String) throws(StorageError) -> Bool? {
    let statement = try session.cached(
      "SELECT sql LIKE 'CREATE UNIQUE%' FROM sqlite_master WHERE type = 'index' AND name = ?1")
    statement.bind(index, at: 1)
    return try session.integer(statement).map { $0 == 1 }
  }
}
