import BSON
import Model
import SQLite

/// Reads the change log through one connection. What belongs together is read in one transaction, which whoever
/// asks has opened: the log may be shortened at any moment.
struct LogReader {
  /// The end of the log and what has been removed from it.
  struct Bounds {
    /// The last version whose changes are gone; 0: none are.
    let floor: Int64
    /// The last version.
    let last: Int64
  }

  /// So many changes are looked at for a page at most, also where few of them are wanted.
  static let largestScan = 10_000
  /// Bytes of images after which a page is full.
  static let largestPage = 4 << 20

  let session: ReadSession

  func bounds() throws(StorageError) -> Bounds {
    let floor = try session.integer(
      try session.cached("SELECT value FROM _meta WHERE name = 'log_floor'"))
    let last = try session.integer(try session.cached("SELECT max(version) FROM _commits"))
    return Bounds(floor: floor ?? 0, last: last ?? 0)
  }

  /// The position that `start` stands for; throws ``StorageError/positionExpired``.
  func position(of start: LogStart) throws(StorageError) -> LogPosition {
    let bounds = try bounds()
    switch start {
    case .oldest: return LogPosition(version: bounds.floor)
    case .latest: return LogPosition(version: bounds.last)
    case .after(let position):
      // A part of a commit that is gone is gone as a whole.
      let isKept = position.version > bounds.floor || position == LogPosition(version: bounds.floor)
      guard isKept, position.version <= bounds.last else { throw .positionExpired }
      return position
    case .time(let time):
      let version = try last(before: time.storedText, bounds)
      // Commits between that time and the oldest one that is known are gone.
      guard bounds.floor == 0 || version >= bounds.floor else { throw .positionExpired }
      return LogPosition(version: version)
    }
  }

  /// The last version before that time, in the stored form of a date: times never decrease.
  ///
  /// Below the oldest commit that is known the answer is the version before it.
  func last(before time: String, _ bounds: Bounds) throws(StorageError) -> Int64 {
    let statement = try session.cached(
      "SELECT version, time < ?2 FROM _commits WHERE version >= ?1 ORDER BY version LIMIT 1")
    return try partition(statement, bounds) { $0.bind(time, at: 2) }
  }

  /// The last version up to which the log had at most so many bytes in all.
  func last(upTo size: Int64, _ bounds: Bounds) throws(StorageError) -> Int64 {
    let statement = try session.cached(
      "SELECT version, size <= ?2 FROM _commits WHERE version >= ?1 ORDER BY version LIMIT 1")
    return try partition(statement, bounds) { $0.bind(size, at: 2) }
  }

  /// The last version for which the statement's second column is true, which it is up to there.
  private func partition(
    _ statement: Statement, _ bounds: Bounds, _ bind: (Statement) -> Void
  ) throws(StorageError) -> Int64 {
    bind(statement)
    var low = max(bounds.floor, 1)
    var high = bounds.last + 1
    while low < high {
      let middle = low + (high - low) / 2
      statement.bind(middle, at: 1)
      defer { statement.reset() }
      guard try session.step(statement), statement.int64(at: 1) != 0 else {
        high = middle
        continue
      }
      low = statement.int64(at: 0) + 1
    }
    return low - 1
  }

  /// The bytes of the log up to and including that version, as counted since the store was made.
  func size(at version: Int64) throws(StorageError) -> Int64 {
    let statement = try session.cached(
      "SELECT size FROM _commits WHERE version <= ?1 ORDER BY version DESC LIMIT 1")
    statement.bind(version, at: 1)
    return try session.integer(statement) ?? 0
  }

  /// The changes after a position, which is kept; of one class, and of the schema, where `objectType` says so. `images`
  /// are those of the same state.
  func page(
    after start: LogPosition, through last: Int64?, limit: Int, objectType: String?, _ images: ImageSource
  ) throws(StorageError) -> ChangePage {
    let rows = try session.cached(
      """
      SELECT c.version, c.ordinal, c.class, c.id, c.operation, c.before, c.after, c.elements, c.object_key, t.time \
      FROM _changes AS c LEFT JOIN _commits AS t ON t.version = c.version \
      WHERE (c.version, c.ordinal) > (?1, ?2) AND c.version <= ?3 ORDER BY c.version, c.ordinal
      """)
    let last = try min(last ?? .max, bounds().last)
    rows.bind(start.version, at: 1)
    rows.bind(start.ordinal, at: 2)
    rows.bind(last, at: 3)
    defer { rows.reset() }
    var time: (version: Int64, time: Date)?
    var changes: [LoggedChange] = []
    var next = start
    var (scanned, size) = (0, 0)
    while try session.step(rows) {
      if scanned == LogReader.largestScan || changes.count == limit || size > LogReader.largestPage {
        return ChangePage(changes: changes, next: next, isLast: false)
      }
      scanned += 1
      next = LogPosition(version: rows.int64(at: 0), ordinal: rows.int64(at: 1))
      let name = rows.string(at: 2)
      if let objectType, name != objectType, !name.isEmpty { continue }
      if time?.version != next.version { time = (next.version, try self.time(rows)) }
      var made: [UInt8]?
      if rows.int64(at: 4) == LoggedChange.Operation.insert.rawValue, rows.isNull(at: 6) {
        made = try images.bytes(of: name, key: rows.int64(at: 8))
      }
      if let time { changes.append(try change(rows, next, name, time.time, made)) }
      size += rows.blob(at: 5).count + rows.blob(at: 6).count + rows.blob(at: 7).count + (made?.count ?? 0)
    }
    return ChangePage(changes: changes, next: LogPosition(version: max(last, start.version)), isLast: true)
  }

  private func change(
    _ row: Statement, _ position: LogPosition, _ objectType: String, _ time: Date, _ made: [UInt8]?
  ) throws(StorageError) -> LoggedChange {
    guard let operation = LoggedChange.Operation(rawValue: row.int64(at: 4)) else {
      throw .corrupt("operation in the log")
    }
    return LoggedChange(
      position: position, time: time, objectType: objectType,
      key: ObjectKey(row.int64(at: 8)), id: try row.mixed(at: 3), operation: operation,
      before: try image(row, 5), after: try after(row, made), elements: try elements(row))
  }

  /// What a change left; `made` if the log leaves that to the object's row.
  private func after(_ row: Statement, _ made: [UInt8]?) throws(StorageError) -> Mixed? {
    guard let made else { return try image(row, 6) }
    return try made.withUnsafeBufferPointer { bytes throws(StorageError) in try image(bytes) }
  }

  private func time(_ row: Statement) throws(StorageError) -> Date {
    guard let time = Date(storedText: row.text(at: 9)) else { throw .corrupt("change without commit") }
    return time
  }

  private func elements(_ row: Statement) throws(StorageError) -> [CollectionChange] {
    if row.isNull(at: 7) { return [] }
    guard let changes = CollectionChange.decode(row.blob(at: 7)) else {
      throw .corrupt("elements in the log")
    }
    return changes
  }

  private func image(_ row: Statement, _ column: Int32) throws(StorageError) -> Mixed? {
    row.isNull(at: column) ? nil : try image(row.blob(at: column))
  }

  private func image(_ bytes: UnsafeBufferPointer<UInt8>) throws(StorageError) -> Mixed {
    guard let image = MixedCoding.decode(bytes) else { throw .corrupt("image in the log") }
    return image
  }
}
