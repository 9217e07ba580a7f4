public import GatehouseModel
import GatehouseSQLite

/// Finds the changes of one object in a part of the log, which itself is in the order of time only.
///
/// It lies in temporary tables of its reader's connection, which SQLite keeps in a file of its own where they are larger
/// than ``Snapshot/limitPageCache(to:)`` says.
/// It is made while somebody reads far behind the end of the log: an index that writers keep would cost each of them a
/// page. Pages of the log that retention removes meanwhile are found no more.
///
///     log    ───────┼──────────────────┼──────▶
///                low└──── covered ─────┘high
public final class ChangeIndex {
  private let session: ReadSession
  private let images: ImageReader
  private var covered: (low: LogPosition, high: LogPosition)?

  init(_ session: ReadSession, _ images: ImageReader) throws(StorageError) {
    self.session = session
    self.images = images
    do throws(DatabaseError) {
      try session.connection.execute(LogStatements.makeIndex)
    } catch {
      throw StorageError(error)
    }
  }

  /// Whether all changes after a position, through the version `last`, are in it.
  public func covers(_ position: LogPosition, through last: Int64) -> Bool {
    guard let covered else { return false }
    return covered.low <= position && LogPosition(version: last) <= covered.high
  }

  /// Takes in at most `limit` more of the changes after a position, through the version `last`.
  public func extend(
    to position: LogPosition, through last: Int64, limit: Int
  ) throws(StorageError) {
    precondition(limit > 0, "an index grows by some changes")
    let (low, high) = covered ?? (position, position)
    defer {
      precondition(covered.map { $0.low <= low && $0.high >= high } ?? true, "what is covered stays so")
    }
    if position < low {
      let next =
        try boundary(LogStatements.positionFromEnd, between: position, and: low, offset: limit)
        ?? position
      try add(after: next, through: low)
      covered = (next, high)
    } else if high < LogPosition(version: last) {
      let end = LogPosition(version: last)
      let next =
        try boundary(
          LogStatements.positionFromStart, between: high, and: end, offset: limit - 1) ?? end
      try add(after: high, through: next)
      covered = (low, next)
    } else {
      covered = (low, high)
    }
  }

  /// Calls `body` with the changes of an object after a position, in order, until it returns false.
  func forEachChange(
    _ objectType: String, id: Mixed, after start: LogPosition,
    _ body: (LoggedChange) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let row = try session.cached(LogStatements.changesOfObject)
    row.bind(objectType, at: 1)
    row.bind(id, as: .mixed, at: 2)
    row.bind(start.version, at: 3)
    row.bind(start.ordinal, at: 4)
    defer { row.reset() }
    var rows = StoredRows(row, after: start, in: session, images)
    while try rows.step() {
      if try !body(try rows.change()) { return }
    }
  }

  /// Notes that an object of a class had a link until a change. `property` is any name by which it is asked for.
  public func noteLink(
    from objectType: String, id: Mixed, by property: String, to target: Mixed, until change: LogPosition
  ) throws(StorageError) {
    let row = try session.cached(LogStatements.insertFormerLink)
    row.bind(objectType, at: 1)
    row.bind(property, at: 2)
    row.bind(target, as: .mixed, at: 3)
    row.bind(change.version, at: 4)
    row.bind(change.ordinal, at: 5)
    row.bind(id, as: .mixed, at: 6)
    while try session.step(row) {}
  }

  /// The objects of a class that had such a link until a change after that position, each of them once.
  public func formerOwners(
    _ objectType: String, by property: String, to target: Mixed, after start: LogPosition
  ) throws(StorageError) -> [Mixed] {
    let row = try session.cached(LogStatements.formerOwners)
    row.bind(objectType, at: 1)
    row.bind(property, at: 2)
    row.bind(target, as: .mixed, at: 3)
    row.bind(start.version, at: 4)
    row.bind(start.ordinal, at: 5)
    defer { row.reset() }
    var owners: [Mixed] = []
    while try session.step(row) { owners.append(try row.mixed(at: 0)) }
    return owners
  }

  /// The position of the change of that number between two positions, as the statement counts; nil: there are fewer.
  private func boundary(
    _ sql: String, between start: LogPosition, and end: LogPosition, offset: Int
  ) throws(StorageError) -> LogPosition? {
    let row = try session.cached(sql)
    bind(start, end, to: row)
    row.bind(Int64(offset), at: 5)
    defer { row.reset() }
    return try session.step(row) ? LogPosition(version: row.int64(at: 0), ordinal: row.int64(at: 1)) : nil
  }

  private func add(after start: LogPosition, through end: LogPosition) throws(StorageError) {
    let statement = try session.cached(LogStatements.indexChanges)
    bind(start, end, to: statement)
    statement.bind(LoggedChange.Operation.schema.rawValue, at: 5)
    while try session.step(statement) {}
  }

  private func bind(_ start: LogPosition, _ end: LogPosition, to statement: Statement) {
    statement.bind(start.version, at: 1)
    statement.bind(start.ordinal, at: 2)
    statement.bind(end.version, at: 3)
    statement.bind(end.ordinal, at: 4)
  }
}
