public import Model
import SQLite

/// One state of the file, the change log with it, for as long as the closure runs that got it.
public struct Snapshot {
  let session: ReadSession
  let images: ImageSource
  let log: LogReader
  let bounds: LogReader.Bounds
  /// The last commit that is in it.
  public var version: Int64 { bounds.last }

  /// The schema of this state.
  public var schema: Schema { session.catalog.schema }

  /// The position that `start` stands for; throws ``StorageError/positionExpired``.
  public func position(of start: LogStart) throws(StorageError) -> LogPosition {
    try log.position(of: start, bounds)
  }

  /// The changes after a position, up to the version `last`, in order, at most `limit`; of one class, and of the
  /// schema, where `objectType` says so.
  public func changes(
    after start: LogPosition, through last: Int64, limit: Int, objectType: String? = nil
  ) throws(StorageError) -> ChangePage {
    try log.page(
      after: position(of: .after(start)), through: min(last, version), limit: limit, objectType: objectType,
      images)
  }

  /// The object's key, and the object as the change log would have it after an insertion; nil where there is none.
  public func object(_ objectType: String, id: Mixed) throws(StorageError) -> KeyedImage? {
    try images.object(objectType, id: id)
  }

  /// What identifies the objects of class `objectType` that link to an object by a property, each of them once.
  ///
  /// The last of the path is the property; those before it lead through embedded objects.
  public func linkingObjects(
    _ objectType: String, _ path: [Int], to target: String, id: Mixed
  ) throws(StorageError) -> [Mixed] {
    try images.linkingObjects(objectType, path, to: target, id: id)
  }
}

extension Reader {
  /// Calls `body` with the state of the file as it is now.
  public func snapshot<Answer>(
    _ body: (Snapshot) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try currentSnapshot { () throws(StorageError) in
      let log = LogReader(session: session, tail: tail)
      return try body(Snapshot(session: session, images: images(), log: log, bounds: try log.bounds()))
    }
  }
}
