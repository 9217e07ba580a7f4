/// The address of an object's row: the place of its class in the catalog, and its `_key` (SQLite's rowid).
struct RowAddress: Hashable {
  let table: Int
  let key: Int64
}
