import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSharing

/// Reads the present values of objects, on which depends what is written: as clients read them, who may see all objects or
/// only some. Owns no table.
final class PresentValues {
  private struct Shape: Hashable {
    let table: Int
    let properties: [Int]
    let restricted: Set<String>
  }

  private let session: ReadSession
  private let residuals: Residuals
  /// Writes come from requests, so that the number of their shapes has no bound of its own.
  private var readers = GenerationalCache<Shape, ObjectReader>(budget: 512)

  init(_ base: WriteBase) {
    session = base.statements.session
    residuals = base.residuals
  }

  /// Returns the values of some properties of an object that is there, or of an embedded one.
  func values(
    of properties: [Int], in row: RowAddress, under visibility: Visibility?
  ) throws(StorageError) -> Document {
    let shape = Shape(
      table: row.table, properties: properties, restricted: visibility?.restricted ?? [])
    residuals.prepare([], visibility, in: session)
    var builder = ValueBuilder()
    try reader(shape).write(row.key, to: &builder)
    guard case .document(let values) = builder.finish() else { throw .corrupt("object without row") }
    return values
  }

  private func reader(_ shape: Shape) -> ObjectReader {
    if let reader = readers[shape] { return reader }
    let table = session.catalog.tables[shape.table]
    let projection = Projection(
      objectType: table.objectType.name,
      fields: shape.properties.map { Projection.Field(property: $0, target: nil) }, showsKey: false)
    let reader = ObjectReader(table, projection: projection, in: session, restricted: shape.restricted)
    readers.add(reader, for: shape)
    return reader
  }
}
