import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// The values of several paths for the object of the row that a statement stands on.
struct PathValues {
  let paths: [KeyPath]
  /// For each path the column that has its one value; nil: the evaluator knows its values.
  let columns: [Int32?]
  let table: TableLayout
  let lookup: PropertyLookup
  let statement: Statement

  /// The object's key.
  var key: ObjectKey { ObjectKey(statement.int64(at: 0)) }

  /// Calls `body` with each value of a path.
  func each(_ path: Int, _ body: (Mixed) -> Void) throws(StorageError) {
    if let column = columns[path] { return body(try statement.value(as: paths[path].type, at: column)) }
    let object = StoredObject(table: table, key: key, lookup: lookup)
    for values in paths[path].values(of: object) {
      for value in values { body(value) }
    }
  }

  /// The first value of a path; null where there is none.
  func first(_ path: Int) throws(StorageError) -> Mixed {
    if let column = columns[path] { return try statement.value(as: paths[path].type, at: column) }
    let object = StoredObject(table: table, key: key, lookup: lookup)
    return paths[path].values(of: object).lazy.joined().first ?? .null
  }
}
