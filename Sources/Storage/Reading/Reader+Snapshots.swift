import Glibc
import SQLite

// The state of the file that reads are of: that of each read, of several that are held together, or of all until it is
// released.
extension Reader {
  /// Runs `body` with a session for the schema as it is now.
  ///
  /// A destructive change of the schema between the look at the catalog and the statement makes the statement
  /// fail, since the places of properties are never used again: then once more, with the new catalog.
  func current<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
    if isHeld { return try body() }
    catchUp()
    while true {
      connection.restartTime()
      if connection.limits.interruption?.isRequested == true { throw .cancelled }
      do throws(StorageError) { return try body() } catch {
        if case .timeLimit = error, connection.limits.reason == .interruption { throw .cancelled }
        guard hasNewCatalog(after: error) else { throw error }
      }
    }
  }

  /// Runs `body`, all of whose reads see one state of the file.
  ///
  /// The catalog and what is known of the last changes are those of the beginning, too: the cache of objects must
  /// not take what is read now for what will be there then.
  func held<Answer>(_ body: () throws -> Answer) throws -> Answer {
    catchUp()
    while true {
      connection.restartTime()
      if connection.limits.interruption?.isRequested == true { throw StorageError.cancelled }
      do {
        let isOurs = try begin()
        isHeld = true
        defer {
          isHeld = false
          if isOurs { end() }
        }
        return try body()
      } catch StorageError.timeLimit where connection.limits.reason == .interruption {
        throw StorageError.cancelled
      } catch let error as StorageError where hasNewCatalog(after: error) {
        // Once more.
      }
    }
  }

  /// Runs `body` with a session for the schema as it is now, on one state of the file.
  func currentSnapshot<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try current { () throws(StorageError) in try snapshot(body) }
  }

  /// Runs `body` on one state of the file.
  ///
  /// To be called within ``current(_:)``.
  func snapshot<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
    let isOurs = try begin()
    defer { if isOurs { end() } }
    return try body()
  }

  /// Ends the snapshot that reads share, as long as which the file's log cannot begin anew: to be called before the
  /// thread waits.
  public func release() {
    if sharesSnapshots, connection.isInTransaction { end() }
  }

  /// Opens a snapshot unless there is one; whether it has to be ended.
  private func begin() throws(StorageError) -> Bool {
    if connection.isInTransaction { return false }
    try execute("BEGIN")
    do throws(StorageError) { try meetSnapshot() } catch {
      end()
      throw error
    }
    return !sharesSnapshots
  }

  /// A commit is in the file before it is published: then it may have changed any class.
  private func meetSnapshot() throws(StorageError) {
    let version = try LogReader(session: session).lastVersion()
    let isPublished = version == state.value.version
    objects.begin(isPublished ? state.value.changes : state.value.changes.map { _ in version })
  }

  /// Whether a statement may have failed because the catalog was older than the file: then it no longer is.
  private func hasNewCatalog(after error: StorageError) -> Bool {
    guard case .sqlite = error else { return false }
    let generation = session.catalog.generation
    awaitPublication()
    catchUp()
    return session.catalog.generation != generation
  }

  /// Waits until a commit that is in the file is published, which is next to be done: no more than a second.
  private func awaitPublication() {
    guard let version = try? LogReader(session: session).lastVersion(), version > state.value.version else {
      return
    }
    for _ in 0..<10_000 where state.isCurrent { usleep(100) }
  }

  private func end() {
    try? execute("COMMIT")
  }

  private func execute(_ sql: String) throws(StorageError) {
    let statement = try session.cached(sql)
    defer { statement.reset() }
    _ = try session.step(statement)
  }
}
