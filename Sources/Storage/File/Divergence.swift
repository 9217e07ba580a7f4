/// How a store's file differs from that of the store which made a transaction: it was not applied, and no later one will be.
public enum Divergence: Hashable, Sendable {
  /// The transaction begins at another version than the file has, or ends at another one.
  case version(expected: Int64, found: Int64)
  /// The table is not there, has other columns, or does not take a value.
  case table(String)
  /// A row that is updated or deleted is not there.
  case missingRow(table: String)
  /// A row that is inserted, or has the same unique values, is there already.
  case presentRow(table: String)
  /// A change of the schema that SQLite refuses, with its result code.
  case statement(code: Int32)
}
