import GatehouseSQLite

/// Proof that the reader's session has the schema as it is now. Only ``Reader/current(_:)`` and a transaction give one, and
/// only for as long as their closure runs; functions that need it ask for it.
struct CurrentSchema: ~Copyable {
  fileprivate init() {}
}

/// Proof that all statements of the reader see one state of the file. Only ``Reader/snapshot(_:_:)`` and ``Reader/held(_:)``
/// give one, and only for as long as their closure runs; functions that need it ask for it.
struct ReadTransaction: ~Copyable {
  fileprivate init() {}

  /// The schema is that of the state.
  var schema: CurrentSchema { CurrentSchema() }
}

/// Whether several reads are held together: all of them see the state of the file that is open.
struct Holding {
  fileprivate(set) var isHeld = false
}

// The state of the file that reads are of:
//
//     idle ──current──▶ one read, schema as it is now ──snapshot──▶ one state of the file ──end──▶ idle
//       │                                                                  ▲        └──shared──▶ open until release()
//       └──held──▶ several reads ──────────────────────────────────────────┘
extension Reader {
  /// Runs `body` with a session for the schema as it is now.
  ///
  /// A destructive change of the schema between the look at the catalog and the statement makes the statement
  /// fail, since the places of properties are never used again: then once more, with the new catalog.
  func current<Answer>(
    _ body: (borrowing CurrentSchema) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    if holding.isHeld { return try body(CurrentSchema()) }
    catchUp()
    while true {
      connection.restartTime()
      if connection.limits.interruption?.isRequested == true { throw .cancelled }
      do throws(StorageError) { return try body(CurrentSchema()) } catch {
        if case .timeLimit = error, connection.limits.reason == .interruption { throw .cancelled }
        guard hasNewCatalog(after: error) else { throw error }
      }
    }
  }

  /// Runs `body`, all of whose reads see one state of the file.
  ///
  /// The catalog and what is known of the last changes are those of the beginning, too: the cache of objects must
  /// not take what is read now for what will be there then.
  func held<Answer>(_ body: (borrowing ReadTransaction) throws -> Answer) throws -> Answer {
    if holding.isHeld { return try body(ReadTransaction()) }
    catchUp()
    while true {
      connection.restartTime()
      if connection.limits.interruption?.isRequested == true { throw StorageError.cancelled }
      do {
        let isOurs = try begin()
        precondition(!holding.isHeld && session.isHeld, "what is held is one state of the file")
        holding.isHeld = true
        defer {
          holding.isHeld = false
          if isOurs { session.end() }
        }
        return try body(ReadTransaction())
      } catch StorageError.timeLimit where connection.limits.reason == .interruption {
        throw StorageError.cancelled
      } catch let error as StorageError where hasNewCatalog(after: error) {
        // Once more.
      }
    }
  }

  /// Opens a snapshot that all reads see until ``endHolding()``; returns false, and opens none, where the file's last commit is
  /// not the one that this reader knows.
  func beginHolding() throws(StorageError) -> Bool {
    catchUp()
    connection.restartTime()
    _ = try begin()
    holding.isHeld = (try? LogReader(session: session).lastVersion()) == state.value.version
    if !holding.isHeld {
      // A commit is in the file a moment before it is published.
      awaitPublication()
      session.end()
    }
    return holding.isHeld
  }

  func endHolding() {
    precondition(holding.isHeld && session.isHeld, "what is no longer held was")
    holding.isHeld = false
    session.end()
  }

  /// Runs `body` with a session for the schema as it is now, on one state of the file.
  func currentSnapshot<Answer>(
    _ body: (borrowing ReadTransaction) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try current { schema throws(StorageError) in try snapshot(schema, body) }
  }

  /// Runs `body` on one state of the file.
  func snapshot<Answer>(
    _ schema: borrowing CurrentSchema, _ body: (borrowing ReadTransaction) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    let isOurs = try begin()
    defer { if isOurs { session.end() } }
    return try body(ReadTransaction())
  }

  /// Ends the snapshot that reads share, as long as which the file's log cannot begin anew: to be called before the
  /// thread waits.
  public func release() {
    guard sharesSnapshots, session.isHeld else { return }
    precondition(!holding.isHeld, "what is held is one state of the file")
    session.end()
  }

  /// Opens a snapshot unless there is one; returns whether it has to be ended.
  private func begin() throws(StorageError) -> Bool {
    if session.isHeld { return false }
    try session.begin()
    do throws(StorageError) { try meetSnapshot() } catch {
      session.end()
      throw error
    }
    return !sharesSnapshots
  }

  /// A commit is in the file before it is published: then it may have changed any class, and the schema. Values of new
  /// properties would be left out, also of what streams tell. And others may share a snapshot of before it.
  private func meetSnapshot() throws(StorageError) {
    let version = try LogReader(session: session).lastVersion()
    // A snapshot has every commit that was published before it.
    guard version >= state.value.version else { throw .corrupt("commits that were made") }
    if version > state.value.version,
      try session.integer(session.cached(CatalogStatements.generation)) != session.catalog.generation
    {
      throw .sqlite(code: DatabaseError.staleSchema, message: "the schema has changed")
    }
    if version > max(state.value.version, state.value.seen) { view.didSee(version) }
    objects.begin(state.value.changes(through: version))
  }

  /// Whether a statement may have failed because the catalog was older than the file: then it no longer is.
  private func hasNewCatalog(after error: StorageError) -> Bool {
    guard case .sqlite = error else { return false }
    let generation = session.catalog.generation
    awaitPublication()
    catchUp()
    return session.catalog.generation != generation
  }

  /// Waits until what is in the file is published.
  private func awaitPublication() {
    if let version = try? LogReader(session: session).lastVersion() { view.awaitPublication(of: version) }
  }
}
