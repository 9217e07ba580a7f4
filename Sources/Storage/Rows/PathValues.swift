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
  /// The part of other objects that may be seen; nil: all.
  let scope: VisibilityScope<StoredObject>?
  let statement: Statement

  /// The object's key.
  var key: ObjectKey { ObjectKey(statement.int64(at: 0)) }

  /// Calls `body` with each value of a path.
  func each(_ path: Int, _ body: (Mixed) -> Void) throws(StorageError) {
    if let column = columns[path] { return body(try statement.value(as: paths[path].type, at: column)) }
    for values in values(of: paths[path]) {
      for value in values { body(value) }
    }
  }

  /// The first value of a path; null where there is none.
  func first(_ path: Int) throws(StorageError) -> Mixed {
    if let column = columns[path] { return try statement.value(as: paths[path].type, at: column) }
    return values(of: paths[path]).lazy.joined().first ?? .null
  }

  /// The values that the evaluator finds.
  private func values(of path: KeyPath) -> [[Mixed]] {
    let object = StoredObject(table: table, key: key, lookup: lookup)
    guard let scope else { return path.values(of: object) }
    return path.values(of: VisibleObject(object, in: scope))
  }
}
