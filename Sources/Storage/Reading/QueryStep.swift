/// One line of what SQLite says about how it runs a statement (<https://sqlite.org/eqp.html>):
/// `SEARCH t USING INDEX City.population (population>?)`.
struct QueryStep: Hashable, Sendable {
  let text: String

  /// Whether the rows that the statement is about are looked at: those of the table `t`.
  var isAboutRows: Bool { text.hasPrefix("SCAN t") || text.hasPrefix("SEARCH t") }

  var isScan: Bool { text.hasPrefix("SCAN") }

  /// Whether a row is looked up by its key.
  var isByKey: Bool { text.contains(" USING INTEGER PRIMARY KEY (rowid=?)") }

  /// The index that is used.
  var index: String? {
    for word in [" USING COVERING INDEX ", " USING INDEX "] {
      guard let start = text.firstRange(of: word)?.upperBound else { continue }
      let rest = text[start...]
      return String(rest[..<(rest.firstRange(of: " (")?.lowerBound ?? rest.endIndex)])
    }
    return nil
  }

  /// How many columns of the index are compared with one value each.
  var equalities: Int {
    constraints.count { $0.hasSuffix("=?") }
      - constraints.count { $0.hasSuffix(">=?") || $0.hasSuffix("<=?") }
  }

  /// How many bounds there are on the next column.
  var bounds: Int { constraints.count { $0.contains(">") || $0.contains("<") } }

  private var constraints: [String] {
    guard text.hasSuffix(")"), let start = text.lastIndex(of: "(") else { return [] }
    return text[start...].dropFirst().dropLast().split(separator: " AND ").map(String.init)
  }
}
