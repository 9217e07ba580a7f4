import GatehouseModel
import GatehouseSQLite

/// A property of an object that holds embedded objects.
struct EmbeddedPlace: Hashable {
  let row: RowAddress
  let property: Int
}

extension WriteStatements {
  /// Returns the keys of the embedded objects in a property, in the order of images; nil where it holds none by its
  /// type.
  func embeddedKeys(in place: EmbeddedPlace) throws(StorageError) -> [Int64]? {
    let table = catalog.tables[place.row.table]
    let layout = table.properties[place.property]
    guard try embeddedTable(layout) != nil else { return nil }
    let sql =
      switch layout.property.type {
      case .map: ElementStatements.valuesByKey(layout)
      case .list: ElementStatements.valuesByPosition(layout)
      case .one, .set, .linkingObjects: RowStatements.value(layout, in: table)
      }
    let statement = try session.cached(sql)
    statement.bind(place.row.key, at: 1)
    return try integers(statement)
  }
}
