import GatehouseSQLite

/// Performs what other stores have committed, and decides who leads. Used on the writer's queue only.
struct ReplicaWriter {
  private let committer: Committer
  private let replication: Replication

  /// Nil: the store has no log.
  init?(_ committer: Committer) {
    guard let replication = committer.replication else { return nil }
    self.committer = committer
    self.replication = replication
  }

  /// Leads from now on, with everything that was applied. `sharesSecret`: the first transaction of the log is the store's secret, before
  /// anybody else's.
  func lead(sharesSecret: Bool) -> Result<Void, StorageError> {
    guard !replication.isLeading else { return .success(()) }
    do throws(StorageError) {
      try replication.checkRunning()
      abandonPart()
      try publish()
      try committer.reopen()
      try replication.lead()
      if sharesSecret, replication.status.point.sequence == 0 { try shareSecret() }
      return .success(())
    } catch {
      replication.follow()
      return .failure(error)
    }
  }

  /// Follows from now on.
  func follow() -> Result<Void, StorageError> {
    replication.follow()
    return .success(())
  }

  /// Writes the store's secret anew, so that it is in the log.
  private func shareSecret() throws(StorageError) {
    let before = committer.mark
    do throws(StorageError) {
      try committer.begin()
      let statement = try committer.session.cached(CatalogStatements.setMeta)
      statement.bind("secret", at: 1)
      statement.bind(blob: committer.view.secret, at: 2)
      while try committer.session.step(statement) {}
      try committer.commitQuietly()
    } catch {
      committer.rollBack(to: before)
      throw error
    }
  }

  /// Applies a part of a transaction, and publishes it with its last one. A part that was applied before is left out.
  func apply(_ part: TransactionPart, at point: ReplicationPoint) -> Result<Void, StorageError> {
    precondition(!replication.isLeading, "a store that leads applies nothing")
    do throws(StorageError) {
      try publish()
      guard point.sequence > replication.status.point.sequence else { return .success(()) }
      try replication.checkRunning()
      try perform(part, at: point)
      return .success(())
    } catch {
      abandonPart()
      switch error {
      case .diverged, .invalidEntry:
        replication.stop(error)
        committer.view.published.update { $0.failure = error }
      default: committer.publish(error)
      }
      return .failure(error)
    }
  }

  private func perform(_ part: TransactionPart, at point: ReplicationPoint) throws(StorageError) {
    if part.number == 0 { try begin(part) }
    // SQLite takes a transaction back by itself where the disk fails; the rows of the rest would be commits of their own.
    guard !replication.applier.isOpen || committer.isInTransaction else {
      throw .sqlite(code: 4, message: "the transaction was taken back")
    }
    try replication.applier.apply(part)
    guard part.isLast else { return }
    try checkVersion(part.version)
    try replication.store(point)
    try committer.makeRoom()
    try committer.file.commit()
    replication.applier.end(isRolledBack: false)
    replication.applied = AppliedTransaction(replication.applier, version: part.version, at: point)
    try publish()
    committer.didCommit()
  }

  /// Publishes the transaction of another store that was committed last, unless that has been done. Where the schema that it has made
  /// cannot be read, the store stays where it was for everybody, and this is to be called again before anything else is done.
  private func publish() throws(StorageError) {
    guard let applied = replication.applied else { return }
    if applied.changesSchema { try committer.reopen() }
    if replication.status.point.sequence == 0 {
      committer.view.use(secret: try DatabaseFile.secret(committer.connection, mustBeKept: true))
    }
    replication.applied = nil
    replication.status.set(applied.point)
    if applied.version > committer.view.state.version || applied.changesSchema {
      publish(applied.version, changed: applied.tables)
    } else {
      committer.publishSuccess()
    }
    replication.status.notify(of: applied.recordKinds)
  }

  private func begin(_ part: TransactionPart) throws(StorageError) {
    abandonPart()
    let version = committer.version
    guard part.base == version else { throw .diverged(.version(expected: part.base, found: version)) }
    try committer.file.begin(.full, isKept: replication.isDurable)
    precondition(!replication.isLeading, "what another store has done is not done while this one leads")
    committer.connection.setTriggers(false)
    replication.applier.begin(at: part.base)
  }

  /// Makes certain that the file has come to the version that the transaction ends with.
  private func checkVersion(_ version: Int64) throws(StorageError) {
    let session = committer.session
    let found = try session.integer(session.cached(LogStatements.lastVersion)) ?? 0
    guard found == version else { throw .diverged(.version(expected: version, found: found)) }
  }

  /// Rolls back what has been applied of a transaction that is not complete.
  private func abandonPart() {
    guard replication.applier.isOpen else { return }
    committer.file.rollBack()
    replication.applier.end(isRolledBack: true)
  }

  /// Writes a place in the log to the file, where no transaction does it.
  func store(_ point: ReplicationPoint, whileLeading: Bool) -> Result<Void, StorageError> {
    guard !replication.applier.isOpen, replication.applied == nil, replication.isLeading == whileLeading,
      point.sequence > replication.status.point.sequence
    else { return .success(()) }
    precondition(!committer.isInTransaction, "no transaction ends at the place")
    do throws(StorageError) {
      try replication.checkRunning()
      try replication.store(point)
      replication.status.set(point)
      return .success(())
    } catch {
      committer.publish(error)
      return .failure(error)
    }
  }

  /// Publishes a transaction of another store, which has been committed: the version and the changed tables of the file.
  private func publish(_ version: Int64, changed: Set<String>) {
    committer.advance(to: version)
    let (catalog, view) = (committer.catalog, committer.view)
    let failure = committer.isFull ? StorageError.diskFull : nil
    view.published.update { state in
      state.advance(to: version, catalog, failure: failure)
      for (index, table) in catalog.tables.enumerated() where table.isAny(of: changed) {
        state.changes[index] = version
      }
    }
    _ = view.tail.add(nil, through: version)
    view.sync.notify()
  }
}

extension TableLayout {
  /// Whether the class has one of the tables.
  func isAny(of tables: Set<String>) -> Bool {
    tables.contains(name) || properties.contains { !$0.isColumn && tables.contains($0.name ?? "") }
  }
}
