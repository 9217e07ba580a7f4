import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Reads images: the values of objects, properties and elements in the form that the change log has them in.
final class ImageReader {
  /// The elements that one statement reads.
  private struct ElementShape: Hashable {
    let table: Int
    let property: Int
    let selector: ElementSelector
  }

  /// Writes properties by their stored names.
  private let session: ReadSession
  /// For each class, the reader of each property, then that of all of them.
  private var readers: [[ObjectReader?]]
  private var elementReaders: [ElementShape: ElementReader] = [:]

  /// Images of what the connection of that session sees.
  init(_ session: ReadSession) {
    self.session = ReadSession(session.connection, catalog: session.catalog, naming: .stored)
    readers = session.catalog.tables.map { Array(repeating: nil, count: $0.properties.count + 1) }
  }

  /// Returns the value that an image has.
  static func value(of image: [UInt8]) throws(StorageError) -> Mixed {
    guard let value = image.withUnsafeBufferPointer(MixedCoding.decode) else { throw .corrupt("image") }
    return value
  }

  // Objects and properties

  /// Returns the image of all stored properties of an object; that of null where there is none.
  func image(of row: RowAddress) throws(StorageError) -> [UInt8] {
    let properties = session.catalog.tables[row.table].properties
    return try image(
      properties.indices.filter { properties[$0].element != nil }, of: row, slot: properties.count)
  }

  /// Returns the image of one property of an object.
  func image(of property: Int, in row: RowAddress) throws(StorageError) -> [UInt8] {
    try image([property], of: row, slot: property)
  }

  /// Returns all stored properties of an object; nil where there is none.
  func value(of row: RowAddress) throws(StorageError) -> Mixed? {
    let value = try ImageReader.value(of: image(of: row))
    return value == .null ? nil : value
  }

  private func image(
    _ properties: @autoclosure () -> [Int], of row: RowAddress, slot: Int
  ) throws(StorageError) -> [UInt8] {
    let reader = readers[row.table][slot] ?? makeReader(properties(), row.table)
    if readers[row.table][slot] == nil { readers[row.table][slot] = reader }
    var writer = ImageWriter()
    try reader.write(row.key, to: &writer)
    precondition(!writer.bytes.isEmpty, "an object that is not there has the image of null")
    return writer.bytes
  }

  private func makeReader(_ properties: [Int], _ index: Int) -> ObjectReader {
    let table = session.catalog.tables[index]
    let projection = Projection(
      objectType: table.objectType.name,
      fields: properties.map { Projection.Field(property: $0, target: nil) }, showsKey: false)
    return ObjectReader(table, projection: projection, in: session)
  }

  // Elements

  /// Returns the image of one entry of a map; nil where the key is not there.
  func entry(_ key: String, of property: Int, in row: RowAddress) throws(StorageError) -> Mixed? {
    try element(ElementShape(table: row.table, property: property, selector: .key), of: row) {
      $0.bind(key, at: 2)
    }
  }

  /// Returns the image of the element of a list at a position of its table.
  func element(
    at position: Int64, of property: Int, in row: RowAddress
  ) throws(StorageError) -> Mixed? {
    try element(ElementShape(table: row.table, property: property, selector: .position), of: row) {
      $0.bind(position, at: 2)
    }
  }

  /// Returns the image of a value that a set has; nil where it does not.
  func member(_ value: Mixed, of property: Int, in row: RowAddress) throws(StorageError) -> Mixed? {
    let type = session.catalog.tables[row.table].properties[property].element ?? .mixed
    return try element(ElementShape(table: row.table, property: property, selector: .value), of: row) {
      $0.bind(value, as: type, at: 2)
    }
  }

  private func element(
    _ shape: ElementShape, of owner: RowAddress, bind: (Statement) -> Void
  ) throws(StorageError) -> Mixed? {
    var writer = ImageWriter()
    guard try elementReader(shape).write(owner: owner.key, to: &writer, bind: bind) else { return nil }
    return try ImageReader.value(of: writer.bytes)
  }

  private func elementReader(_ shape: ElementShape) throws(StorageError) -> ElementReader {
    if let reader = elementReaders[shape] { return reader }
    let layout = session.catalog.tables[shape.table].properties[shape.property]
    let reader = try ElementReader(layout, by: shape.selector, in: session)
    elementReaders[shape] = reader
    return reader
  }
}
