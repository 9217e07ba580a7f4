/// How the objects of a plan are found.
public struct Explanation: Hashable, Sendable {
  public let objectType: String
  /// The predicate as it was understood, in the query language.
  public let filter: String
  /// SQLite's own words: which tables are searched by which index, and which are scanned.
  public let steps: [String]
  /// The indexes that ``steps`` use, each once, by their names in the file.
  public let indexes: [String]
  /// The predicates that are evaluated in memory, in the query language.
  public let inMemory: [String]
  /// About how many objects have to be looked at: what the best index finds, counted up to 20,000, or all objects
  /// of the class.
  public let estimatedRows: Int
  /// How many objects the class has.
  public let objects: Int64
  /// The statement, without its values.
  public let sql: String
}
