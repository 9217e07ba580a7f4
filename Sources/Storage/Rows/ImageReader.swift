import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Gives the objects of one reader in the form that the change log has them in.
final class ImageReader {
  /// The reader and statement of one class, prepared when they are first needed.
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

  /// The object's key, and all its stored properties; nil where there is none.
  func object(_ objectType: String, id: Mixed) throws(StorageError) -> KeyedImage? {
    let index = try session.catalog.topLevelIndex(of: objectType)
    guard let key = try key(of: id, index, prepared(index)), let image = try image(of: index, key: key)
    else { return nil }
    return KeyedImage(key: ObjectKey(key), image: image)
  }

  /// All stored properties of the object with that key; nil where there is none.
  func image(of table: Int, key: Int64) throws(StorageError) -> Mixed? {
    guard let image = try bytes(of: table, key: key).withUnsafeBufferPointer({ MixedCoding.decode($0) })
    else {
      throw .corrupt("image of an object")
    }
    if case .null = image { return nil }
    return image
  }

  /// All stored properties of an object, encoded; nil where there is none.
  func bytes(of objectType: String, key: Int64) throws(StorageError) -> [UInt8]? {
    guard session.catalog.schema[objectType] != nil else { return nil }
    let image = try bytes(of: try session.catalog.index(of: objectType), key: key)
    return image == [MixedCoding.Tag.null] ? nil : image
  }

  /// All stored properties of the object with that key, encoded; null where there is none.
  private func bytes(of table: Int, key: Int64) throws(StorageError) -> [UInt8] {
    // Each image is an answer of its own: what is remembered of one means nothing in the next.
    session.answer += 1
    var writer = ImageWriter()
    try prepared(table).reader.write(key, to: &writer)
    return writer.bytes
  }

  /// Returns the identifiers of the objects that link to that one by a property, each once, in the order of their keys. The
  /// property is the last of the path; those before it lead through embedded objects.
  func linkingObjects(
    _ objectType: String, _ path: [Int], to target: String, id: Mixed
  ) throws(StorageError) -> [Mixed] {
    let index = try session.catalog.topLevelIndex(of: target)
    guard let key = try key(of: id, index, prepared(index)) else { return [] }
    var tables = [try session.catalog.table(objectType)]
    for property in path.dropLast() {
      guard case .object(let embedded)? = tables[tables.count - 1].properties[property].element else {
        throw .corrupt("path through embedded objects")
      }
      tables.append(try session.catalog.table(embedded))
    }
    var keys: Set<Int64> = [key]
    for (table, property) in zip(tables, path).reversed() {
      let layout = table.properties[property]
      keys =
        layout.element == .mixed
        ? try mixedOwners(table, layout, to: target, of: keys) : try owners(table, layout, of: keys)
    }
    return try keys.sorted().map { key throws(StorageError) in try identifier(tables[0], key) }
  }

  /// The keys of the objects of which a property has one of those values.
  private func owners(
    _ table: TableLayout, _ layout: PropertyLayout, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    let statement = try session.cached(
      layout.isColumn
        ? "SELECT _key FROM \(table.table) WHERE \(layout.column) = ?1"
        : "SELECT owner FROM \(layout.child) WHERE value = ?1")
    return try owners(statement, at: 1, of: keys)
  }

  /// The keys of the objects of which a property has a link to one of those inside a mixed value.
  private func mixedOwners(
    _ table: TableLayout, _ layout: PropertyLayout, to target: String, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    let statement = try session.cached(
      "SELECT owner_key FROM _mixed_links WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4"
    )
    statement.bind(target, at: 1)
    statement.bind(table.objectType.name, at: 3)
    statement.bind(layout.property.storedName, at: 4)
    return try owners(statement, at: 2, of: keys)
  }

  /// Returns the keys that a statement gives for all of the keys, each bound at that place.
  private func owners(
    _ statement: Statement, at place: Int32, of keys: Set<Int64>
  ) throws(StorageError) -> Set<Int64> {
    var owners: Set<Int64> = []
    for key in keys {
      statement.bind(key, at: place)
      while try session.step(statement) { owners.insert(statement.int64(at: 0)) }
      statement.reset()
    }
    return owners
  }

  private func identifier(_ table: TableLayout, _ key: Int64) throws(StorageError) -> Mixed {
    guard table.objectType.primaryKeyIndex != nil else { return .int(key) }
    let statement = try session.cached(
      "SELECT \(table.identifierColumn) FROM \(table.table) WHERE _key = ?1")
    statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { throw .corrupt("owner") }
    return try statement.value(as: table.identifierType, at: 0)
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
