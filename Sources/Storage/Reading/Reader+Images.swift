public import GatehouseModel
import GatehouseSQLite

extension Reader {
  /// At most `limit` objects of a class in the order of their keys, from the one behind `key` on; nil: the first.
  public func images(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [KeyedImage] {
    try currentSnapshot { _ throws(StorageError) in
      try images().images(of: objectType, after: key, limit: limit)
    }
  }
}

extension StoreSnapshot {
  /// At most `limit` objects of a class in the order of their keys, from the one behind `key` on; nil: the first.
  public func images(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [KeyedImage] {
    try ImageReader(session).images(of: objectType, after: key, limit: limit)
  }

  /// The key that the next object of the class gets.
  public func nextKey(of objectType: String) throws(StorageError) -> ObjectKey {
    let statement = try session.cached("SELECT next_key FROM _classes WHERE name = ?1")
    statement.bind(objectType, at: 1)
    guard let key = try session.integer(statement) else { throw .unknownClass(objectType) }
    return ObjectKey(key)
  }
}

extension ImageReader {
  fileprivate func images(
    of objectType: String, after key: ObjectKey?, limit: Int
  ) throws(StorageError) -> [KeyedImage] {
    let index = try session.catalog.topLevelIndex(of: objectType)
    let table = session.catalog.tables[index].table
    let rows = try session.cached("SELECT _key FROM \(table) WHERE _key > ?1 ORDER BY _key LIMIT ?2")
    rows.bind(key?.value ?? -1, at: 1)
    rows.bind(Int64(limit), at: 2)
    var keys: [Int64] = []
    while try session.step(rows) { keys.append(rows.int64(at: 0)) }
    rows.reset()
    var images: [KeyedImage] = []
    for key in keys {
      if let image = try image(of: index, key: key) {
        images.append(KeyedImage(key: ObjectKey(key), image: image))
      }
    }
    return images
  }
}
