import BSON
import Model
import SQLite

/// The history of the store: what every commit changed, with the values before and after.
final class ChangeLog {
  /// What one commit did to one object.
  ///
  /// The images are dictionaries in ``MixedCoding``, by stored names, links as primary keys: of all properties
  /// for a creation or deletion, of the changed ones for an update. A creation without image leaves it to the row.
  struct Change {
    let objectType: String
    let key: Int64
    let id: Mixed
    let kind: ChangeRecorder.Entry.Kind
    var before: [UInt8]?
    var after: [UInt8]?
    /// Collections of which only some elements changed; those are not in the images.
    var elements: [CollectionChange] = []
  }

  private let session: ReadSession
  private let changes: Statement
  private let commits: Statement
  /// Of the last commit: times never go back, whatever the clock does, so that one can be searched for.
  private var time = ""
  /// The bytes of all changes since the store was made, removed ones included. A transaction that fails may
  /// leave it too large: it only has to grow with what is written.
  private var size: Int64 = 0

  init(in session: ReadSession) throws(StorageError) {
    self.session = session
    let last = try session.prepare("SELECT time, size FROM _commits ORDER BY version DESC LIMIT 1")
    if try session.step(last) {
      time = last.string(at: 0)
      size = last.int64(at: 1)
      last.reset()
    }
    changes = try session.prepare(
      """
      INSERT INTO _changes (version, ordinal, class, object_key, id, operation, before, after, \
      elements) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    commits = try session.prepare("INSERT INTO _commits (version, time, size) VALUES (?1, ?2, ?3)")
  }

  /// Adds a change to the commit of that version.
  func append(_ change: Change, version: Int64, ordinal: Int64) throws(StorageError) {
    changes.bind(version, at: 1)
    changes.bind(ordinal, at: 2)
    changes.bind(change.objectType, at: 3)
    changes.bind(change.key, at: 4)
    changes.bind(change.id, as: .mixed, at: 5)
    changes.bind(change.kind.rawValue, at: 6)
    try appendImages(change.before, change.after, CollectionChange.encode(change.elements))
  }

  /// Says what an object was made with in a commit, if that is in the log and does not say so.
  func complete(
    _ objectType: String, _ key: Int64, madeIn version: Int64, with image: [UInt8]
  ) throws(StorageError) {
    let statement = try session.cached(
      """
      UPDATE _changes SET after = ?1 WHERE version = ?2 AND class = ?3 AND object_key = ?4 AND operation = ?5 \
      AND after IS NULL
      """)
    statement.bind(blob: image, at: 1)
    statement.bind(version, at: 2)
    statement.bind(objectType, at: 3)
    statement.bind(key, at: 4)
    statement.bind(ChangeRecorder.Entry.Kind.created.rawValue, at: 5)
    while try session.step(statement) {}
    size += Int64(image.count)
  }

  /// Adds the change of the schema that is the commit of that version.
  func append(schema old: Schema, to new: Schema, version: Int64) throws(StorageError) {
    changes.bind(version, at: 1)
    changes.bind(Int64(0), at: 2)
    changes.bind("", at: 3)
    changes.bind(Int64(0), at: 4)
    changes.bindNull(at: 5)
    changes.bind(LoggedChange.Operation.schema.rawValue, at: 6)
    try appendImages(ChangeLog.image(of: old), ChangeLog.image(of: new))
  }

  private static func image(of schema: Schema) -> [UInt8] {
    var image: [UInt8] = []
    MixedCoding.append(.string(String(decoding: schema.notation.plainJSON, as: UTF8.self)), to: &image)
    return image
  }

  private func appendImages(
    _ before: [UInt8]?, _ after: [UInt8]?, _ elements: [UInt8]? = nil
  ) throws(StorageError) {
    bind(before, at: 7)
    bind(after, at: 8)
    bind(elements, at: 9)
    let images = (before?.count ?? 0) + (after?.count ?? 0) + (elements?.count ?? 0)
    size += Int64(images + ChangeLog.rowSize)
    while try session.step(changes) {}
  }

  /// What a change takes in the file beside its images, about.
  private static let rowSize = 32

  /// Adds the commit itself. `time` is in the stored form of a date.
  func appendCommit(_ version: Int64, time now: String) throws(StorageError) {
    time = max(time, now)
    commits.bind(version, at: 1)
    commits.bind(time, at: 2)
    commits.bind(size, at: 3)
    while try session.step(commits) {}
  }

  /// The dictionary that has the entries of all of them.
  static func joined(_ images: [[UInt8]]) -> [UInt8] {
    var joined = [MixedCoding.Tag.dictionary]
    for image in images { joined += image.dropFirst().dropLast() }
    joined.append(MixedCoding.Tag.end)
    return joined
  }

  private func bind(_ image: [UInt8]?, at index: Int32) {
    if let image { changes.bind(blob: image, at: index) } else { changes.bindNull(at: index) }
  }
}
