import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

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

  /// The most changes that are looked at for a page, also where few of them are wanted.
  static let largestScan = 10_000
  /// Bytes of images after which a page is full.
  static let largestPage = 4 << 20

  let session: ReadSession
  /// Has the last commits, perhaps.
  var tail: LogTail?

  func bounds() throws(StorageError) -> Bounds {
    let floor = try session.integer(try session.cached(CatalogStatements.logFloor))
    return Bounds(floor: floor ?? 0, last: try lastVersion())
  }

  /// The last version; 0: there is none.
  func lastVersion() throws(StorageError) -> Int64 {
    try session.integer(try session.cached(LogStatements.lastVersion)) ?? 0
  }

  /// The position that `start` stands for; throws ``StorageError/positionExpired``.
  func position(of start: LogStart, _ bounds: Bounds) throws(StorageError) -> LogPosition {
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
    let statement = try session.cached(LogStatements.isBefore)
    return try partition(statement, within: bounds) { $0.bind(time, at: 2) }
  }

  /// The last version up to which the log had at most so many bytes in all.
  func last(upTo size: Int64, _ bounds: Bounds) throws(StorageError) -> Int64 {
    let statement = try session.cached(LogStatements.isUpTo)
    return try partition(statement, within: bounds) { $0.bind(size, at: 2) }
  }

  /// The last version for which the statement's second column is true, which it is up to there.
  private func partition(
    _ statement: Statement, within bounds: Bounds, bind: (Statement) -> Void
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
    let statement = try session.cached(LogStatements.size)
    statement.bind(version, at: 1)
    let size = try session.integer(statement) ?? 0
    // Only the last one was looked at when the file was opened.
    guard Counters.countable ~= size else { throw .corrupt("size of a commit") }
    return size
  }

  /// The changes after a position, which is kept, up to version `last`, which is there; of one class, and of the
  /// schema, where `objectType` says so. `images` are those of the same state.
  func page(
    after start: LogPosition, through last: Int64, limit: Int, objectType: String?,
    size: Int = LogReader.largestPage, _ images: ImageReader
  ) throws(StorageError) -> ChangePage {
    if let commits = tail?.commits(after: start, through: last) {
      return try page(
        of: KeptRows(commits, after: start), after: start, through: last, limit: limit,
        objectType: objectType,
        size: size)
    }
    let rows = try StoredRows(after: start, through: last, in: session, images)
    defer { rows.reset() }
    return try page(
      of: rows, after: start, through: last, limit: limit, objectType: objectType, size: size)
  }

  private func page(
    of rows: some LogRows, after start: LogPosition, through last: Int64, limit: Int, objectType: String?,
    size largestSize: Int
  ) throws(StorageError) -> ChangePage {
    var rows = rows
    var changes: [LoggedChange] = []
    var next = start
    var (scanned, size) = (0, 0)
    while try rows.step() {
      if scanned == LogReader.largestScan || changes.count == limit || size > largestSize {
        return ChangePage(changes: changes, next: next, isLast: false)
      }
      scanned += 1
      next = rows.position
      let name = rows.objectType
      if let objectType, name != objectType, !name.isEmpty { continue }
      changes.append(try rows.change())
      size += rows.size
    }
    let end = LogPosition(version: max(last, start.version))
    precondition(next <= end, "a page has nothing behind its end")
    return ChangePage(changes: changes, next: end, isLast: true)
  }
}
