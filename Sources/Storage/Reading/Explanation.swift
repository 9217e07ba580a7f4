/// How the objects of a plan are found.
public struct Explanation: Hashable, Sendable {
  /// SQLite's own words: which tables are searched by which index, and which are scanned.
  public let steps: [String]
  /// The predicates that are evaluated in memory, in the query language.
  public let inMemory: [String]
  /// The statement, without its values.
  public let sql: String
}
