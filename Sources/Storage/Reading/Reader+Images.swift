public import GatehouseModel
import GatehouseSQLite

extension Reader {
  /// At most `limit` objects of a class in the order of their keys, from the one behind `key` on; nil: the first.
  public func images(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [KeyedImage] {
    try currentSnapshot { _ throws(StorageError) in
      try images().values(of: session.rows(of: objectType, after: key, limit: limit))
    }
  }
}

extension StoreSnapshot {
  /// At most `limit` objects of a class in the order of their keys, from the one behind `key` on; nil: the first.
  public func images(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [KeyedImage] {
    try ImageReader(session).values(of: session.rows(of: objectType, after: key, limit: limit))
  }

  /// The key that the next object of the class gets.
  public func nextKey(of objectType: String) throws(StorageError) -> ObjectKey {
    let statement = try session.cached(CatalogStatements.nextKey)
    statement.bind(objectType, at: 1)
    guard let key = try session.integer(statement) else { throw .unknownClass(objectType) }
    return ObjectKey(key)
  }
}

extension ReadSession {
  /// Returns the rows of at most `limit` objects of a class in the order of their keys, from the one behind `key` on.
  fileprivate func rows(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [RowAddress] {
    let index = try catalog.topLevelIndex(of: objectType)
    let statement = try cached(RowStatements.keysBehind(in: catalog.tables[index]))
    statement.bind(key?.value ?? -1, at: 1)
    statement.bind(Int64(limit), at: 2)
    defer { statement.reset() }
    var rows: [RowAddress] = []
    while try step(statement) { rows.append(RowAddress(table: index, key: statement.int64(at: 0))) }
    return rows
  }
}

extension ImageReader {
  /// Returns the objects of the rows, with their keys.
  fileprivate func values(of rows: [RowAddress]) throws(StorageError) -> [KeyedImage] {
    var images: [KeyedImage] = []
    for row in rows {
      if let image = try value(of: row) {
        images.append(KeyedImage(key: ObjectKey(row.key), image: image))
      }
    }
    return images
  }
}
