/// How the objects of a plan are found.
public struct Explanation: Hashable, Sendable {
  /// SQLite's own words: which tables are searched by which index, and which are scanned.
  public let steps: [String]
  /// The predicates that are evaluated in memory, in the query language.
  public let inMemory: [String]
  /// The statement, without its values.
  public let sql: String
  /// About how many objects have to be looked at: what the best index finds, counted up to 20,000, or all objects
  /// of the class.
  public let estimatedRows: Int
}
