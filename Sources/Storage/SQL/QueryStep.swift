import GatehouseSQLite

/// One line of what SQLite says about how it runs a statement (<https://sqlite.org/eqp.html>):
/// `SEARCH t USING INDEX City.population (population>?)`.
struct QueryStep: Hashable, Sendable {
  let text: String

  /// Returns the steps in which SQLite runs the statement.
  static func all(of sql: SQLText, in session: ReadSession) throws(StorageError) -> [QueryStep] {
    let statement = try session.prepare("EXPLAIN QUERY PLAN \(sql.text)")
    sql.bind(to: statement)
    var steps: [QueryStep] = []
    while try session.step(statement) { steps.append(QueryStep(text: statement.string(at: 3))) }
    return steps
  }

  /// The index that this step of the statement uses; a table of words, in which TEXT looks, is one by itself.
  func index(in sql: String) -> String? {
    for word in [" USING COVERING INDEX ", " USING INDEX "] {
      guard let start = text.firstRange(of: word)?.upperBound else { continue }
      let rest = text[start...]
      return String(rest[..<(rest.firstRange(of: " (")?.lowerBound ?? rest.endIndex)])
    }
    return wordTable(in: sql)
  }

  /// `SEARCH t1 USING PRIMARY KEY (word=?)` tells only what the statement calls the table.
  private func wordTable(in sql: String) -> String? {
    guard let key = text.firstRange(of: " USING PRIMARY KEY (word") else { return nil }
    let alias = text[..<key.lowerBound].dropFirst("SEARCH ".count)
    guard let name = sql.firstRange(of: "\" AS \(alias) ") else { return nil }
    return sql[..<name.lowerBound].split(separator: "\"").last.map(String.init)
  }
}
