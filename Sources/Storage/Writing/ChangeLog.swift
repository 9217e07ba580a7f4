import Model
import SQLite

/// The history of the store: what every commit changed, with the values before and after.
final class ChangeLog {
  /// What one commit did to one object.
  ///
  /// The images are dictionaries in ``MixedCoding``, by stored names, links as primary keys: of all properties
  /// for a creation or deletion, of the changed ones for an update.
  struct Change {
    let objectType: String
    let key: Int64
    let id: Mixed
    let kind: ChangeRecorder.Entry.Kind
    var before: [UInt8]?
    var after: [UInt8]?
  }

  private let session: ReadSession
  private let changes: Statement
  private let commits: Statement

  init(in session: ReadSession) throws(StorageError) {
    self.session = session
    changes = try session.prepare(
      """
      INSERT INTO _changes (version, ordinal, class, object_key, id, operation, before, after) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    commits = try session.prepare("INSERT INTO _commits (version, time) VALUES (?1, ?2)")
  }

  /// Adds a change to the commit of that version.
  func append(_ change: Change, version: Int64, ordinal: Int64) throws(StorageError) {
    changes.bind(version, at: 1)
    changes.bind(ordinal, at: 2)
    changes.bind(change.objectType, at: 3)
    changes.bind(change.key, at: 4)
    changes.bind(change.id, as: .mixed, at: 5)
    changes.bind(change.kind.rawValue, at: 6)
    bind(change.before, at: 7)
    bind(change.after, at: 8)
    while try session.step(changes) {}
  }

  /// Adds the commit itself. `time` is in the stored form of a date.
  func appendCommit(_ version: Int64, time: String) throws(StorageError) {
    commits.bind(version, at: 1)
    commits.bind(time, at: 2)
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
