public import GatehouseModel
import GatehouseSQLite

/// One state of the file, the change log with it, for as long as the closure runs that got it.
public struct Snapshot {
  let session: ReadSession
  let images: ImageReader
  let log: LogReader
  let bounds: LogReader.Bounds
  let translation: LogTranslation
  /// The last commit that is in it.
  public var version: Int64 { bounds.last }

  /// The schema of this state.
  public var schema: Schema { session.catalog.schema }

  /// Gives what is asked next all of the time that a query may take: whoever walks through the log asks many.
  public func restartTime() {
    session.connection.restartTime()
  }

  /// Bounds the pages of the file, and those of temporary tables, that the reader keeps in memory from now on, in bytes
  /// of each. Pages beyond that are given back.
  public func limitPageCache(to size: Int) throws(StorageError) {
    do throws(DatabaseError) {
      try session.connection.execute(FileStatements.limitPageCache(to: max(1, size >> 10)))
    } catch {
      throw StorageError(error)
    }
  }

  /// The position that `start` stands for; throws ``StorageError/positionExpired``.
  public func position(of start: LogStart) throws(StorageError) -> LogPosition {
    try log.position(of: start, bounds)
  }

  /// The changes after a position, up to the version `last`, in order, at most `limit`, and fewer once their images have
  /// `size` bytes; of one class, and of the schema, where `objectType` says so. In the terms of this state's schema.
  public func changes(
    after start: LogPosition, through last: Int64, limit: Int, size: Int = 4 << 20, objectType: String? = nil
  ) throws(StorageError) -> ChangePage {
    let steps = try translation.steps(after: start, session)
    // The log has the names of its time.
    let isRenamed = steps.renameClasses
    let page = try log.page(
      after: position(of: .after(start)), through: min(last, version), limit: limit,
      objectType: isRenamed ? nil : objectType, size: size, images)
    if steps.isEmpty { return page }
    var changes = page.changes.compactMap { steps.translate($0) }
    if isRenamed, let objectType {
      changes.removeAll { $0.operation != .schema && $0.objectType != objectType }
    }
    return ChangePage(changes: changes, next: page.next, isLast: page.isLast)
  }

  /// Calls `body` with the changes of an object after a position, in order, until it returns false. In the terms of this
  /// state's schema; `index` covers them.
  public func forEachChange(
    of objectType: String, id: Mixed, after start: LogPosition, in index: ChangeIndex,
    _ body: (LoggedChange) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let steps = try translation.steps(after: start, session)
    for (name, after, through) in steps.names(of: objectType) {
      var goesOn = true
      let first = max(start, LogPosition(version: after))
      try index.forEachChange(name, id: id, after: first) { change throws(StorageError) in
        guard change.position.version <= through else { return false }
        guard let change = steps.translate(change) else { return true }
        goesOn = try body(change)
        return goesOn
      }
      if !goesOn { return }
    }
  }

  /// An index of the log's changes by object, with nothing in it. There is one for a reader.
  public func makeChangeIndex() throws(StorageError) -> ChangeIndex {
    try ChangeIndex(session, images)
  }

  /// The object's key, and the object as the change log would have it after an insertion; nil where there is none.
  public func object(_ objectType: String, id: Mixed) throws(StorageError) -> KeyedImage? {
    guard let row = try KeyLookup(session: session).row(objectType, id: id),
      let image = try images.value(of: row)
    else { return nil }
    return KeyedImage(key: ObjectKey(row.key), image: image)
  }

  /// The object's key; nil where there is none.
  public func key(_ objectType: String, id: Mixed) throws(StorageError) -> ObjectKey? {
    try KeyLookup(session: session).row(objectType, id: id).map { ObjectKey($0.key) }
  }

  /// Returns the identifiers of the objects of class `objectType` that link to an object by a property, each once.
  ///
  /// The last of the path is the property; those before it lead through embedded objects.
  public func linkingObjects(
    _ objectType: String, _ path: [Int], to target: String, id: Mixed
  ) throws(StorageError) -> [Mixed] {
    try KeyLookup(session: session).linkingObjects(objectType, path, to: target, id: id)
  }
}
