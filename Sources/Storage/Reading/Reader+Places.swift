import BSON
import Model
import Query
import SQLite

extension Reader {
  /// Appends what a path leads to. BSON has no values without a document around them: there a map and an answer to
  /// aggregates are the document, and everything else is its one member `value`.
  ///
  /// Throws ``StorageError/objectNotFound(objectType:id:)`` and ``StorageError/place(_:)``.
  public func place(
    _ request: PathReadRequest, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> PathReadAnswer {
    // One snapshot for the way and for what is there.
    try currentSnapshot { () throws(StorageError) in
      let reader = try PathReader(
        request, from: try subject(request), in: session, objects: objectReader)
      let next: PathReadRequest.Start?
      switch representation {
      case .json:
        var writer = PlainJSONWriter(appendingTo: [])
        next = try reader.write(to: &writer)
        bytes += writer.finish()
      case .bson:
        let (document, page) = try bson(reader)
        bytes += document
        next = page
      case .extendedJSON:
        var writer = ExtendedJSONWriter(appendingTo: [])
        next = try reader.write(to: &writer)
        bytes += writer.finish()
      }
      return try answer(reader.location, next)
    }
  }

  private func bson(_ reader: PathReader) throws(StorageError) -> ([UInt8], PathReadRequest.Start?) {
    var writer = BSONWriter(appendingTo: [])
    writer.replacesZeroBytes = true
    let isDocument = reader.isDocument
    if !isDocument {
      writer.beginDocument()
      writer.key("value")
    }
    let next = try reader.write(to: &writer)
    if !isDocument { writer.endDocument() }
    do { return (try writer.finish(), next) } catch { throw .tooLarge }
  }

  /// The object that a write at the place would change, and its version.
  public func owner(_ request: PathReadRequest) throws(StorageError) -> PathReadAnswer {
    try current { () throws(StorageError) in
      let start = try subject(request)
      return try answer(Locator(session: session).location(of: request.path, from: start), nil)
    }
  }

  private func subject(_ request: PathReadRequest) throws(StorageError) -> RowAddress {
    let index = try session.catalog.topLevelIndex(of: request.objectType)
    let table = session.catalog.tables[index]
    let statement = try session.cached(
      "SELECT _key FROM \(table.table) WHERE \(table.identifierColumn) IS ?1")
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

  private func answer(_ location: Location, _ next: PathReadRequest.Start?) throws(StorageError)
    -> PathReadAnswer
  {
    let table = session.catalog.tables[location.owner.table]
    let statement = try session.cached("SELECT \(table.version()) FROM \(table.table) WHERE _key = ?1")
    statement.bind(location.owner.key, at: 1)
    let version = try session.integer(statement) ?? 0
    let link = ObjectLink(objectType: table.objectType.name, key: ObjectKey(location.owner.key))
    return PathReadAnswer(
      owner: (table.objectType.name, try session.identifier(of: link)), version: version, next: next)
  }
}
