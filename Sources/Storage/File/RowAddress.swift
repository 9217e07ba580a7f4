/// The address of an object's row: the place of its class in the schema, and its `_key` (SQLite's rowid).
public struct RowAddress: Hashable, Sendable {
  public let table: Int
  public let key: Int64

  public init(table: Int, key: Int64) {
    self.table = table
    self.key = key
  }
}
