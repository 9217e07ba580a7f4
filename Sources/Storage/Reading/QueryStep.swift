/// One line of what SQLite says about how it runs a statement (<https://sqlite.org/eqp.html>):
/// `SEARCH t USING INDEX City.population (population>?)`.
struct QueryStep: Hashable, Sendable {
  let text: String

  /// The index that is used.
  var index: String? {
    for word in [" USING COVERING INDEX ", " USING INDEX "] {
      guard let start = text.firstRange(of: word)?.upperBound else { continue }
      let rest = text[start...]
      return String(rest[..<(rest.firstRange(of: " (")?.lowerBound ?? rest.endIndex)])
    }
    return nil
  }
}
