import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// The file as the writer has it: begins, commits and rolls back SQLite's transactions, publishes what was committed, and
/// leaves a full disk to deletions. Used on the writer's queue only.
///
/// Files named `Committer+…` perform one kind of job each, by these steps.
final class Committer {
  /// A state to go back to.
  struct Mark {
    fileprivate let counters: Counters
    fileprivate let usage: UsageCounters.Mark
    let version: Int64
    /// The rows that the connection has changed so far.
    let changes: Int
    /// The end of what has been written down for the log; nil: there is none.
    fileprivate let captured: RowCapture.Mark?
  }

  /// The store as readers see it; filled here.
  let view: StoreView
  private let clock: @Sendable () -> Date
  let connection: Connection
  /// Appends to a log what is committed, or applies it; nil: there is none.
  let replication: Replication?
  private var current: WriteTransaction
  /// The last commit's version, those of the SQLite transaction that is open included.
  private(set) var version: Int64
  /// SQLite's transaction.
  let file: FileTransaction
  private var maintenance: Maintenance
  private let space: DiskSpace
  private let background: BackgroundCheckpoint
  private var didFail: () -> Void = {}
  /// Why the schema could not be read after a migration was taken back; nil: it is known.
  private var reloadFailure: StorageError?

  init(
    _ directory: borrowing DataDirectory, options: StoreOptions, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.clock = clock
    let opened = try DiskSpace.open(in: directory, reserveSize: options.reserveSize)
    connection = opened.connection
    // Before anything is compiled that writes.
    replication = try Replication.open(options.log, on: connection, in: directory.path)
    let stored = try CatalogTables(connection).load()
    current = try WriteTransaction(
      connection, catalog: stored.catalog, counters: stored.counters, options: options)
    version = stored.version
    let changes = Array(repeating: stored.version, count: stored.catalog.tables.count)
    view = StoreView(
      database: opened.path, isAlone: opened.isAlone,
      secret: try DatabaseFile.secret(connection, mustBeKept: replication != nil),
      options: options,
      state: StoreState(
        catalog: stored.catalog, version: stored.version, changes: changes,
        failure: opened.isAlone ? .diskFull : nil))
    try view.sync.open(opened.path, recovering: connection)
    file = FileTransaction(on: connection, view.sync)
    let background = try BackgroundCheckpoint(
      opened.path, isAlone: opened.isAlone, sync: view.sync, on: options.scheduler)
    self.background = background
    space = DiskSpace(opened, background: background, writeAheadSize: options.writeAheadSize)
    maintenance = try Maintenance(
      Retention(options: options, space: space, pins: view.pins, replication: replication), on: opened,
      space: space, background: background, writeAheadSize: options.writeAheadSize)
  }

  var catalog: Catalog { current.catalog }

  /// For what is read and written beside transactions.
  var session: ReadSession { current.session }

  /// Calls `observer`, on the writer's queue, when a write has failed because of the file or the disk.
  func observeFailures(_ observer: @escaping () -> Void) { didFail = observer }

  // SQLite's transactions

  var isInTransaction: Bool { connection.isInTransaction }

  /// The state to go back to. Where the file could not be read after a change of the schema was taken back, that is tried once more.
  var mark: Mark {
    if reloadFailure != nil { readCatalog() }
    return Mark(
      counters: current.counters, usage: current.usageMark, version: version,
      changes: connection.totalChanges, captured: replication?.mark)
  }

  func execute(_ sql: String) throws(StorageError) {
    _ = try session.step(try session.cached(sql))
  }

  /// Begins a transaction. A disk that is late has it wait for the disk in any case.
  func begin(_ durability: Durability = .full) throws(StorageError) {
    try requireCatalog()
    try replication?.begin(at: version)
    try file.begin(replication == nil ? durability : .full, isKept: replication?.isDurable == true)
  }

  /// Throws where the schema of the file is not known.
  func requireCatalog() throws(StorageError) { if let reloadFailure { throw reloadFailure } }

  /// Performs a transaction in the SQLite transaction or savepoint that is open.
  func perform(_ transaction: Transaction) throws(OperationError) -> Commit {
    let commit = try current.perform(transaction, after: version, clock: clock)
    take(commit.version)
    if let notice = transaction.notice { replication?.append(notice) }
    return commit
  }

  /// Performs a long transaction whose operations come piece by piece.
  func perform(_ load: BulkLoad) throws(OperationError) -> Commit {
    let commit = try current.load(load, after: version, clock: clock)
    take(commit.version)
    return commit
  }

  /// Has come to the version of what was performed, in the transaction that is open.
  private func take(_ version: Int64) {
    precondition(
      version == self.version || version == self.version + 1,
      "a transaction is one commit, with the version after the last, or none")
    self.version = version
  }

  /// Begins a transaction whose operations come one by one.
  func beginInteractive(isObserved: Bool) throws(StorageError) -> TypedReader {
    try current.beginInteractive(after: version, isObserved: isObserved, clock: clock)
  }

  /// Returns what its operations have changed so far.
  func interactiveChanges() throws(StorageError) -> [ObjectChange] { try current.changes() }

  /// Performs an operation of it, which makes an object.
  func create(_ operation: Operation) throws(StorageError) -> RowAddress {
    guard let row = try current.performInteractive(operation).row else { throw .corrupt("row of an object") }
    return row
  }

  /// Changes what is at a place.
  func change(_ place: RowPlace, by change: PropertyChange) throws(StorageError) {
    try current.change(place, by: change)
  }

  /// Deletes an object.
  func delete(_ row: RowAddress) throws(StorageError) { try current.delete(row) }

  /// Logs what its operations have changed.
  func finishInteractive() throws(StorageError) {
    take(try current.finishInteractive(after: version, clock: clock))
  }

  /// Commits what was performed, and publishes it. `isReshaped`: it may be large without having been logged.
  func commit(isReshaped: Bool = false) throws(StorageError) {
    try current.storeCounters()
    try space.willCommit(loggedBytes: isReshaped ? nil : current.loggedBytes)
    try commitReplicated()
    publish()
  }

  /// Commits what is no commit of the store's.
  func commitQuietly() throws(StorageError) {
    precondition(version == view.state.version, "what is no commit leaves the version as it is")
    try space.willCommit(loggedBytes: current.loggedBytes)
    try commitReplicated()
    publishSuccess()
  }

  /// Commits the transaction that is open, once the log has it.
  private func commitReplicated() throws(StorageError) {
    guard let replication else { return try file.commit() }
    try replication.commit(version) { () throws(StorageError) in try file.commit() }
  }

  /// Whether the SQLite transaction that is open is that of another store, a part of which has been applied: it is nobody else's to end.
  private var isApplying: Bool { replication?.applier.isOpen == true }

  /// Takes the SQLite transaction back; false: it is one of another node's, which stays.
  private func discard() -> Bool {
    guard !isApplying else { return false }
    if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }
    precondition(!connection.isInTransaction, "what is rolled back is not open any more")
    replication?.discard()
    return true
  }

  /// Rolls back to a state of before ``begin()``, which may have failed.
  func rollBack(to mark: Mark) {
    guard discard() else { return }
    forget(mark)
    _ = current.takeChangedTables()
  }

  /// Takes back what is remembered of a transaction that has left nothing in the file.
  func restore(_ mark: Mark) {
    if let replication, let captured = mark.captured { replication.cut(to: captured) }
    forget(mark)
  }

  private func forget(_ mark: Mark) {
    precondition(mark.version <= version, "what is taken back came after the mark")
    current.restore(mark.counters, usage: mark.usage, version: mark.version)
    version = mark.version
  }

  private func publish() {
    let failure = view.sync.failure ?? (space.isFull ? .diskFull : nil)
    let (catalog, version, changed) = (current.catalog, version, current.takeChangedTables())
    precondition(!connection.isInTransaction, "what readers see is committed")
    view.published.update { state in
      state.advance(to: version, catalog, failure: failure)
      for table in changed { state.changes[table] = version }
    }
    current.publishLog(to: view.tail, through: version)
    if view.sync.isSettled { view.sync.notify() }
  }

  func publishSuccess() {
    let failure = view.sync.failure ?? (space.isFull ? .diskFull : nil)
    view.published.update { $0.failure = failure }
  }

  /// Publishes a failure of the file or the disk. Only a commit shows that writing works again.
  func publish(_ failure: StorageError) {
    guard failure.isFailureOfStore else { return }
    let isNew = view.state.failure == nil
    view.published.update { $0.failure = self.view.sync.failure ?? failure }
    // Later ones must not put off the next attempt to write, which the first one has asked for.
    if isNew { didFail() }
  }

  // Another schema

  /// Makes another schema the file's, in the SQLite transaction that is open; the change is a commit of its own.
  /// `catalog` is the present one, with renamed classes and properties under their new names.
  func migrate(_ plan: SchemaPlan, from catalog: Catalog) throws(StorageError) {
    precondition(connection.isInTransaction, "a schema changes in a transaction")
    let before = current.catalog.schema
    var migration = SchemaMigration(
      from: catalog, before: before, to: plan.schema, counters: current.counters, version: version + 1,
      on: connection)
    migration.isDestructive = plan.isDestructive
    migration.renamedClasses = plan.renames.classes
    try use(try migration.perform())
    try current.logSchemaChange(
      from: before, to: plan.schema, renames: plan.renames, version: version + 1, time: clock())
    version += 1
  }

  /// Compiles all statements anew.
  func clearCache() { connection.clearCache() }

  /// Rolls back a migration that failed, and forgets what it may have left in memory.
  func reload(_ mark: Mark) {
    guard discard() else { return }
    precondition(mark.version <= version, "what is taken back came after the mark")
    version = mark.version
    readCatalog()
  }

  /// Reads the schema and the counters that the file has. Where that fails nothing is written until it succeeds: what is remembered may
  /// be the schema that was taken back.
  private func readCatalog() {
    do throws(StorageError) {
      try use(try CatalogTables(connection).load())
      reloadFailure = nil
    } catch {
      reloadFailure = error
    }
  }

  private func use(_ contents: CatalogTables.Contents) throws(StorageError) {
    current = try WriteTransaction(
      connection, catalog: contents.catalog, counters: contents.counters, options: view.options)
  }

  /// Reads everything anew that is remembered of the file, which others may have changed.
  func reopen() throws(StorageError) {
    let stored = try CatalogTables(connection).load()
    try use(stored)
    version = stored.version
  }

  /// Has come to a version by a transaction of another store.
  func advance(to version: Int64) {
    precondition(version >= self.version, "versions never go back")
    self.version = version
  }

  /// Makes certain that a transaction of another store has its place in the file.
  func makeRoom() throws(StorageError) { try space.willCommit(loggedBytes: nil) }

  // A disk that is full

  /// Whether only deletions find room on the disk.
  var isFull: Bool { space.isFull }

  /// Performs something that may be refused for want of room, once more with the reserve where it only deletes.
  func performOnFullDisk<Success>(
    isDeletion: Bool, _ body: () -> Result<Success, OperationError>
  ) -> Result<Success, OperationError> {
    guard isDeletion else {
      return isFull ? .failure(OperationError(operation: 0, reason: .diskFull)) : body()
    }
    if !isFull {
      let result = body()
      guard result.isDiskFull else { return result }
    }
    let wasFull = isFull
    let result = space.lending(body)
    if isFull, !wasFull { publishFullDisk() }
    _ = shortenForDeletions()
    return result
  }

  /// Publishes that only deletions find room from now on.
  private func publishFullDisk() {
    view.published.update { $0.failure = .diskFull }
    didFail()
  }

  /// Has the oldest changes leave the log before their time where deletions would soon find no room any more; returns what
  /// is left to do.
  private func shortenForDeletions() -> Retention.Rest {
    for _ in 0..<4 where space.isShort {
      guard case .success(let rest) = shortenOnFullDisk(pressing: true), rest != .nothing else {
        return .nothing
      }
    }
    return space.isShort ? .much : .nothing
  }

  private func shortenOnFullDisk(pressing: Bool) -> Result<Retention.Rest, OperationError> {
    space.lending {
      maintenance.shorten(on: connection, in: session, now: clock(), pressing: pressing)
        .mapError { OperationError(operation: 0, reason: $0) }
    }
  }

  // Between commits

  /// Does the work that commits leave. To be called after each, when its clients have their answers.
  func didCommit() {
    if !maintenance.didCommit(on: connection) { publishFullDisk() }
  }

  /// Does a step of what is to be done between commits; returns when there may be more.
  func maintain() -> Duration {
    guard !isApplying else { return .milliseconds(500) }
    precondition(!connection.isInTransaction, "what is done between commits is part of none")
    // A probe of the disk would be a write, and its success would hide the reason.
    guard replication?.isStopped != true else { return .seconds(30) }
    guard view.sync.failure == nil, (try? file.syncAtCommit(true)) != nil else { return .seconds(30) }
    let failure = view.state.failure
    if isFull || failure == .diskFull {
      space.beginDeletionsOnly()
      space.recover()
      if isFull { return maintainOnFullDisk() }
    }
    space.refill()
    var hasFailed = failure != nil
    let delay = maintenance.step(on: connection, in: session, now: clock(), hasFailed: &hasFailed)
    if failure != nil, !hasFailed { publishSuccess() }
    return delay
  }

  /// Shortens the log, whose entries may be what fills the disk.
  private func maintainOnFullDisk() -> Duration {
    if replication?.isLeading == false { return .milliseconds(500) }
    let isDone =
      switch shortenOnFullDisk(pressing: false) {
      case .success(.some), .success(.much): false
      case .success(.nothing), .failure: shortenForDeletions() == .nothing
      }
    return .milliseconds(isDone ? 500 : 20)
  }

  /// Gives free pages back to the disk, by writing the whole file anew.
  func compact() -> Result<Compaction.Outcome, StorageError> {
    do throws(StorageError) {
      // Rows without a key may get other rowids, by which the others know them.
      if replication != nil { throw .clusterMember(directory: view.database) }
      try file.syncAtCommit(true)
      if let failure = view.sync.failure { throw failure }
      if isFull { throw .diskFull }
      do throws(DatabaseError) { return .success(try Compaction.rewrite(connection, view.sync)) } catch {
        throw StorageError(error)
      }
    } catch {
      publish(error)
      return .failure(error)
    }
  }

  /// Removes a part of what is to leave the change log.
  func shortenLog() -> Result<Retention.Rest, StorageError> {
    do throws(StorageError) { try file.syncAtCommit(true) } catch { return .failure(error) }
    if let failure = view.sync.failure { return .failure(failure) }
    if isFull { return shortenOnFullDisk(pressing: false).mapError(\.reason) }
    return maintenance.shorten(on: connection, in: session, now: clock())
  }

  /// Ends all work on the file.
  func close() {
    if isApplying { try? connection.execute(TransactionStatements.rollBack) }
    maintenance.stop()
    // A reader may keep the log from being moved.
    try? view.sync.settle()
    guard view.sync.failure == nil else {
      // Pages that a sync has lost must not get into the database file.
      connection.keepWriteAheadLog()
      return background.keepLog()
    }
    // The next to open the file reads what the log holds just as well: a checkpoint that fails is no loss.
    space.settle()
  }
}
