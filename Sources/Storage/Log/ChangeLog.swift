import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// The history of the store: what every commit changed, with the values before and after.
final class ChangeLog {
  private let session: ReadSession
  private let changes: Statement
  private let commits: Statement
  /// The time of the last commit: times never go back, whatever the clock does, so that one can be searched for.
  private var time: (date: Date, text: String)?
  /// The bytes of all changes since the store was made, removed ones included. A transaction that fails may
  /// leave it too large: it only has to grow with what is written.
  private(set) var size: Int64 = 0
  /// The change that was added last: those of a commit are numbered from 0 on.
  private var last = (version: Int64.min, ordinal: Int64.min)
  /// Takes what is committed for those who follow the log; nil: nobody does.
  var piece: LogPiece?

  init(in session: ReadSession) throws(StorageError) {
    self.session = session
    let last = try session.prepare(LogStatements.lastCommit)
    if try session.step(last) {
      defer { last.reset() }
      let text = last.string(at: 0)
      time = Date(storedText: last.text(at: 0)).map { ($0, text) }
      size = last.int64(at: 1)
      guard time != nil, Counters.countable ~= size else { throw .corrupt("time or size of a commit") }
    }
    changes = try session.prepare(LogStatements.insertChange)
    commits = try session.prepare(LogStatements.insertCommit)
  }

  /// Adds a change to the commit of that version. `leavesValues`: the file has what an object was made with in the
  /// object's row only.
  func append(_ row: LogRow, version: Int64, leavesValues: Bool = false) throws(StorageError) {
    precondition(
      row.ordinal == 0 || (version, row.ordinal) == (last.version, last.ordinal + 1),
      "the changes of a commit are numbered without a gap")
    precondition(
      (row.operation != .insert || row.before == nil) && (row.operation != .delete || row.after == nil),
      "what is new was not there before, and what is deleted is not there after")
    last = (version, row.ordinal)
    changes.bind(version, at: 1)
    changes.bind(row.ordinal, at: 2)
    changes.bind(row.objectType, at: 3)
    changes.bind(row.key, at: 4)
    changes.bind(row.id, as: .mixed, at: 5)
    changes.bind(
      StoredOperation(row.operation, isReplacement: row.isReplacement).rawValue, at: 6)
    bind(row.before, at: 7)
    bind(leavesValues ? nil : row.after, at: 8)
    bind(row.elements, at: 9)
    size += Int64((leavesValues ? 0 : row.size) + ChangeLog.rowSize)
    while try session.step(changes) {}
    piece?.append(row)
  }

  /// Says what an object was made with in a commit, if that is in the log and does not say so.
  func complete(
    _ objectType: String, _ key: Int64, madeIn version: Int64, with image: [UInt8]
  ) throws(StorageError) {
    let statement = try session.cached(LogStatements.completeChange)
    statement.bind(blob: image, at: 1)
    statement.bind(version, at: 2)
    statement.bind(objectType, at: 3)
    statement.bind(key, at: 4)
    statement.bind(LoggedChange.Operation.insert.rawValue, at: 5)
    while try session.step(statement) {}
    size += Int64(image.count)
  }

  /// Adds the change of the schema that is the commit of that version.
  ///
  /// Its elements are the properties that kept their values under another stored name, as maps by class, and those of the class
  /// without name the classes that kept their objects: the schemas do not tell a new name from what is new.
  func append(
    schema old: Schema, to new: Schema, renames: SchemaRenames, version: Int64
  ) throws(StorageError) {
    let row = LogRow(
      ordinal: 0, objectType: "", key: 0, id: .null, operation: .schema, before: ChangeLog.image(of: old),
      after: ChangeLog.image(of: new),
      elements: CollectionChange.encode(ChangeLog.elements(of: renames)))
    try append(row, version: version)
  }

  private static func elements(of renames: SchemaRenames) -> [CollectionChange] {
    let classes = renames.classes.map { ElementChange(.key($0.from), before: nil, after: .string($0.to)) }
    let properties = Dictionary(grouping: renames.properties, by: \.objectType).sorted { $0.key < $1.key }
    return (classes.isEmpty ? [] : [CollectionChange(property: "", elements: classes)])
      + properties.map { name, renames in
        CollectionChange(
          property: name,
          elements: renames.map { ElementChange(.key($0.from), before: nil, after: .string($0.to)) })
      }
  }

  private static func image(of schema: Schema) -> [UInt8] {
    var image: [UInt8] = []
    MixedCoding.append(.string(String(decoding: schema.notation.plainJSON, as: UTF8.self)), to: &image)
    return image
  }

  /// The bytes that a change takes in the file beside its images, about.
  private static let rowSize = 32

  /// Adds the commit itself.
  func appendCommit(_ version: Int64, time now: Date) throws(StorageError) {
    precondition(version == last.version, "each commit has changes")
    let time = latest(now)
    commits.bind(version, at: 1)
    commits.bind(time.text, at: 2)
    commits.bind(size, at: 3)
    while try session.step(commits) {}
    piece?.appendCommit(version, time: time.date)
  }

  private func latest(_ now: Date) -> (date: Date, text: String) {
    let text = now.storedText
    if let time, time.text > text { return time }
    time = (now, text)
    return (now, text)
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
