import Model
import Query
import SQLite

/// Gives the objects of one reader in the form that the change log has them in.
final class ImageSource {
  /// What one class needs, prepared when it is first needed.
  private struct Class {
    let reader: ObjectReader
    let find: Statement
  }

  /// The catalog's; images are written by stored names.
  let session: ReadSession
  private var classes: [Class?]

  init(_ session: ReadSession) {
    self.session = ReadSession(session.connection, catalog: session.catalog, naming: .stored)
    classes = Array(repeating: nil, count: session.catalog.tables.count)
  }

  /// All stored properties of the object; nil where there is none.
  func image(of objectType: String, id: Mixed) throws(StorageError) -> Mixed? {
    let index = try session.catalog.topLevelIndex(of: objectType)
    let prepared = try prepared(index)
    guard let key = try key(of: id, index, prepared) else { return nil }
    // Each image is an answer of its own: what is remembered of one means nothing in the next.
    session.answer += 1
    var writer = ImageWriter()
    try prepared.reader.write(key, to: &writer)
    guard let image = writer.bytes.withUnsafeBufferPointer({ MixedCoding.decode($0) }) else {
      throw .corrupt("image of an object")
    }
    return image
  }

  /// All stored properties of the object with that key; nil where there is none.
  func image(of table: Int, key: Int64) throws(StorageError) -> Mixed? {
    session.answer += 1
    var writer = ImageWriter()
    try prepared(table).reader.write(key, to: &writer)
    guard let image = writer.bytes.withUnsafeBufferPointer({ MixedCoding.decode($0) }) else {
      throw .corrupt("image of an object")
    }
    if case .null = image { return nil }
    return image
  }

  /// What identifies the objects whose property links to that one, in the order of their keys.
  func linkingObjects(
    _ objectType: String, _ property: Int, to target: String, id: Mixed
  ) throws(StorageError) -> [Mixed] {
    let index = try session.catalog.topLevelIndex(of: target)
    guard let key = try key(of: id, index, prepared(index)) else { return [] }
    let source = try session.catalog.table(objectType)
    let layout = source.properties[property]
    let identifier = "t.\(source.identifierColumn)"
    let sql =
      layout.isColumn
      ? "SELECT \(identifier) FROM \(source.table) AS t WHERE t.\(layout.column) = ?1 ORDER BY t._key"
      : """
      SELECT DISTINCT \(identifier) FROM \(layout.child) AS c JOIN \(source.table) AS t ON t._key = c.owner \
      WHERE c.value = ?1 ORDER BY t._key
      """
    let statement = try session.cached(sql)
    statement.bind(key, at: 1)
    defer { statement.reset() }
    var found: [Mixed] = []
    while try session.step(statement) {
      found.append(try statement.value(as: source.identifierType, at: 0))
    }
    return found
  }

  private func key(of id: Mixed, _ table: Int, _ prepared: Class) throws(StorageError) -> Int64? {
    prepared.find.bind(id, as: session.catalog.tables[table].identifierType, at: 1)
    return try session.integer(prepared.find)
  }

  private func prepared(_ index: Int) throws(StorageError) -> Class {
    if let prepared = classes[index] { return prepared }
    let table = session.catalog.tables[index]
    var fields: [Projection.Field] = []
    for (property, layout) in table.properties.enumerated() where layout.element != nil {
      fields.append(Projection.Field(property: property, target: nil))
    }
    let projection = Projection(objectType: table.objectType.name, fields: fields, showsKey: false)
    let sql = "SELECT _key FROM \(table.table) WHERE \(table.identifierColumn) = ?1"
    let prepared = Class(
      reader: ObjectReader(table, projection: projection, in: session), find: try session.prepare(sql))
    classes[index] = prepared
    return prepared
  }
}
