import GatehouseBSON
import GatehouseSQLite

/// Removes old changes from the log, a few at a time.
///
/// Whole commits are given up, the last one never: `log_floor` in `_meta` is the last version whose changes are
/// gone, and its row in `_commits` stays, for its time and size.
struct Retention {
  /// The work that a step leaves to do.
  enum Rest {
    case nothing
    case some
    /// The log is twice as large as it may be: writers are faster than who shortens it at ease.
    case much
  }

  /// Rows that one step removes at most: some milliseconds' work, for which writers wait. Fewer would be more
  /// commits, each of which takes from every reader the pages that it has in memory.
  static let stepSize: Int64 = 2000
  /// Bytes of the log that one step removes at most before their time.
  private static let pressingSize: Int64 = 4 << 20

  let options: StoreOptions
  let space: DiskSpace
  let pins: LogPins
  /// Takes what is removed to the stores that follow; nil: there are none.
  let replication: Replication?

  /// Whether the store removes changes itself, not with transactions of another one.
  var isAllowed: Bool { replication?.isLeading != false }

  var isNeeded: Bool { options.logAge != nil || options.logSize != nil }

  /// Removes some of what is too old or too much, in a transaction of its own; what is oldest where it is `pressing`.
  func step(
    on connection: Connection, in session: ReadSession, now: Date, pressing: Bool
  ) throws(StorageError) -> Rest {
    precondition(
      !connection.isInTransaction && isAllowed, "the log is shortened between transactions, by who leads")
    let log = LogReader(session: session)
    let bounds = try log.bounds()
    var floor = max(try target(in: log, within: bounds, at: now), bounds.floor)
    if pressing, floor == bounds.floor {
      let size = try log.size(at: floor) + Retention.pressingSize
      floor = max(floor, min(try log.last(upTo: size, bounds) + 1, bounds.last - 1))
    }
    let oldest = try session.integer(
      session.cached("SELECT version FROM _changes ORDER BY version LIMIT 1"))
    // The rest of a commit that was too much for one step.
    let hasRows = oldest.map { $0 <= floor } ?? false
    guard floor > bounds.floor || hasRows else { return .nothing }
    precondition(floor == bounds.floor || floor < bounds.last, "the last commit stays in the log")
    do throws(StorageError) {
      try replication?.begin(at: bounds.last)
      try execute("BEGIN IMMEDIATE", on: connection)
      let before = connection.totalChanges
      try remove(through: floor, in: session)
      // One change is that of the floor. A log of which nothing can be removed would be tried for ever.
      guard connection.totalChanges - before > (floor > bounds.floor ? 0 : 1) else { throw .corrupt("log") }
      try space.willCommit(loggedBytes: 0)
      try commit(at: bounds.last, on: connection)
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      replication?.discard()
      throw error
    }
    guard let size = options.logSize, let oldest else { return .some }
    let kept = try log.size(at: bounds.last) - log.size(at: max(oldest, 1) - 1)
    return kept > 2 * size ? .much : .some
  }

  private func commit(at version: Int64, on connection: Connection) throws(StorageError) {
    guard let replication else { return try execute("COMMIT", on: connection) }
    try replication.commit(version) { () throws(StorageError) in try execute("COMMIT", on: connection) }
  }

  private func execute(_ sql: String, on connection: Connection) throws(StorageError) {
    do { try connection.execute(sql) } catch { throw StorageError(error) }
  }

  /// The last version to give up.
  private func target(
    in log: LogReader, within bounds: LogReader.Bounds, at now: Date
  ) throws(StorageError) -> Int64 {
    var floor = bounds.floor
    if let age = options.logAge {
      floor = max(floor, try log.last(before: Date(seconds: now.seconds - age).storedText, bounds))
    }
    if let size = options.logSize {
      let excess = try log.size(at: bounds.last) - size
      // As much as it takes: one version more than fits into the excess.
      if excess > (try log.size(at: floor)) { floor = max(floor, try log.last(upTo: excess - 1, bounds) + 1) }
    }
    return min(floor, bounds.last - 1, try pinned(in: log, within: bounds))
  }

  /// The version that the log must reach back to.
  private func pinned(in log: LogReader, within bounds: LogReader.Bounds) throws(StorageError) -> Int64 {
    guard let version = pins.oldest() else { return .max }
    guard let size = options.logSize else { return version }
    let kept = try log.size(at: bounds.last) - log.size(at: bounds.floor)
    return kept > 2 * size ? .max : version
  }

  private func remove(through floor: Int64, in session: ReadSession) throws(StorageError) {
    let meta = try session.cached("UPDATE _meta SET value = ?1 WHERE name = 'log_floor'")
    meta.bind(floor, at: 1)
    while try session.step(meta) {}
    let changes = try session.cached(
      """
      DELETE FROM _changes WHERE (version, ordinal) IN \
      (SELECT version, ordinal FROM _changes WHERE version <= ?1 ORDER BY version, ordinal LIMIT ?2)
      """)
    changes.bind(floor, at: 1)
    changes.bind(Retention.stepSize, at: 2)
    while try session.step(changes) {}
    // Commits go as their changes do, never before them.
    let commits = try session.cached(
      """
      DELETE FROM _commits WHERE version IN (SELECT version FROM _commits WHERE version < \
      min(?1, (SELECT ifnull(min(version), ?1) FROM _changes)) ORDER BY version LIMIT ?2)
      """)
    commits.bind(floor, at: 1)
    commits.bind(Retention.stepSize, at: 2)
    while try session.step(commits) {}
  }
}
