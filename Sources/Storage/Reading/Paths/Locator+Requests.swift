import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

extension Locator {
  /// Returns the row of the object that the request names, where its condition holds.
  func subject(
    _ request: PathReadRequest, in schema: borrowing CurrentSchema
  ) throws(StorageError) -> RowAddress {
    let index = try session.catalog.topLevelIndex(of: request.objectType)
    let table = session.catalog.tables[index]
    let statement = try session.cached(RowStatements.keyOrNull(in: table))
    statement.bind(request.id, as: table.identifierType, at: 1)
    guard let key = try session.integer(statement) else {
      throw .objectNotFound(objectType: request.objectType, id: request.id)
    }
    if let condition = request.condition {
      guard try session.holds(condition, for: table, ObjectKey(key)) else {
        throw .objectNotFound(objectType: request.objectType, id: request.id)
      }
    }
    return RowAddress(table: index, key: key)
  }

  /// Returns the object that a write at the location would change, its version, and where the next page begins.
  func answer(
    _ location: Location, next: PathReadRequest.Start?, in schema: borrowing CurrentSchema
  ) throws(StorageError) -> PathReadAnswer {
    let table = session.catalog.tables[location.owner.table]
    let statement = try session.cached(RowStatements.version(in: table))
    statement.bind(location.owner.key, at: 1)
    let version = try session.integer(statement) ?? 0
    let link = ObjectLink(objectType: table.objectType.name, key: ObjectKey(location.owner.key))
    return PathReadAnswer(
      owner: (table.objectType.name, try session.identifier(of: link)), version: version, next: next)
  }
}
