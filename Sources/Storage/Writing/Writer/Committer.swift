import CGatehouseMemory
import Dispatch
import GatehouseBSON
import GatehouseModel
import GatehouseSQLite
import Synchronization

/// The file as the writer has it: begins, commits and rolls back SQLite's transactions, publishes what is durable, and
/// gives up the reserve where the disk is full. Used on the writer's queue only, but for the observer.
///
/// Files named `Committer+…` perform one kind of job each, by these steps.
final class Committer {
  /// A state to go back to.
  struct Mark {
    fileprivate let counters: Counters
    let version: Int64
    /// The rows that the connection has changed so far.
    let changes: Int
  }

  /// A closure that was itself what the mutex holds would be wrapped twice more each time that it is taken out: a
  /// generic `inout` of a function is copied out and back through thunks.
  private struct CommitObserver {
    var didCommit: (@Sendable () -> Void)?
  }

  /// The store as readers see it; filled here.
  let view: StoreView
  let options: StoreOptions
  private let clock: @Sendable () -> Date
  private let connection: Connection
  private var current: WriteTransaction
  /// The last commit's version, those of the SQLite transaction that is open included.
  private(set) var version: Int64
  private var maintenance: Maintenance
  private var reserve: Reserve
  private let observer = Mutex(CommitObserver())
  /// Called when a write has failed because of the file or the disk.
  var didFail: () -> Void = {}

  init(
    _ directory: borrowing DataDirectory, options: StoreOptions, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.options = options
    self.clock = clock
    connection = try DatabaseFile.openWriter(directory.database)
    try DatabaseFile.prepare(connection, path: directory.database)
    let stored = try CatalogTables(connection).load()
    current = try WriteTransaction(
      connection, catalog: stored.catalog, counters: stored.counters, options: options)
    version = stored.version
    let changes = Array(repeating: stored.version, count: stored.catalog.tables.count)
    view = StoreView(
      database: directory.database, options: options,
      state: StoreState(catalog: stored.catalog, version: stored.version, changes: changes))
    reserve = Reserve(in: directory.path, size: options.reserveSize)
    maintenance = try Maintenance(options, on: connection, at: directory.database)
  }

  var catalog: Catalog { current.catalog }

  /// For what is read and written beside transactions.
  var session: ReadSession { current.session }

  /// Calls `observer` after every commit, on the writer's queue, which must not wait for it. Any thread may call this.
  func observe(_ observer: (@Sendable () -> Void)?) {
    self.observer.withLock { $0.didCommit = observer }
  }

  // SQLite's transactions

  var isInTransaction: Bool { connection.isInTransaction }

  var mark: Mark {
    Mark(counters: current.counters, version: version, changes: connection.totalChanges)
  }

  func execute(_ sql: String) throws(StorageError) {
    _ = try session.step(try session.cached(sql))
  }

  func begin() throws(StorageError) { try execute(TransactionStatements.beginWriting) }

  /// Performs a transaction in the SQLite transaction or savepoint that is open.
  func perform(_ transaction: Transaction) throws(OperationError) -> Commit {
    let commit = try current.perform(transaction, after: version, clock: clock)
    version = max(version, commit.version)
    return commit
  }

  /// Performs a long transaction whose operations come piece by piece.
  func perform(_ load: BulkLoad) throws(OperationError) -> Commit {
    let commit = try current.load(load, after: version, clock: clock)
    version = commit.version
    return commit
  }

  /// Commits what was performed, and publishes it.
  func commit() throws(StorageError) {
    try current.storeCounters()
    try execute(TransactionStatements.commit)
    publish()
  }

  /// Rolls back to a state of before ``begin()``.
  func rollBack(to mark: Mark) {
    if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }
    restore(mark)
    _ = current.takeChangedTables()
  }

  /// Takes back what is remembered of a transaction that has left nothing in the file.
  func restore(_ mark: Mark) {
    current.restore(mark.counters, mark.version)
    version = mark.version
  }

  private func publish() {
    let reserve = reserve
    let (catalog, version, changed) = (current.catalog, version, current.takeChangedTables())
    view.published.update { state in
      if state.catalog !== catalog { state.changes = Array(repeating: version, count: catalog.tables.count) }
      state.catalog = catalog
      state.version = version
      state.failure = reserve.isSpent ? .diskFull : nil
      for table in changed { state.changes[table] = version }
    }
    current.publishLog(to: view.tail, through: version)
    observer.withLock { $0 }.didCommit?()
  }

  /// Publishes that writing works, after a commit that is none of the store's.
  func publishSuccess() {
    view.published.update { [reserve] in $0.failure = reserve.isSpent ? .diskFull : nil }
  }

  /// Publishes a failure of the file or the disk. Only a commit shows that writing works again.
  func publish(_ failure: StorageError) {
    guard failure.isFailureOfStore else { return }
    view.published.update { $0.failure = failure }
    didFail()
  }

  /// Does what may touch very many objects with room for their pages, and gives the memory back afterwards.
  ///
  /// Pages that do not fit are written to the log, and read from there, again and again.
  func withLargeCache<Result>(_ body: () -> Result) -> Result {
    let changes = connection.totalChanges
    try? connection.execute(FileStatements.setCacheSize(-131072))
    let result = body()
    try? connection.execute(FileStatements.setCacheSize(DatabaseFile.cacheSize))
    if connection.totalChanges - changes > 10_000 {
      try? connection.execute(FileStatements.shrinkMemory)
      // Memory that the C library keeps for later is as good as lost to everybody else.
      memory_trim()
    }
    return result
  }

  // Another schema

  /// Makes another schema the file's, in the SQLite transaction that is open; the change is a commit of its own.
  /// `catalog` is the present one, with renamed properties under their new names.
  func migrate(_ plan: SchemaPlan, from catalog: Catalog) throws(StorageError) {
    let before = current.catalog.schema
    var migration = SchemaMigration(
      from: catalog, before: before, to: plan.schema, counters: current.counters, version: version + 1,
      on: connection)
    try use(try migration.perform())
    try current.logSchemaChange(
      from: before, to: plan.schema, renames: plan.renames, version: version + 1, time: clock())
    version += 1
  }

  /// Compiles all statements anew.
  func clearCache() { connection.clearCache() }

  /// Rolls back a migration that failed, and forgets what it may have left in memory.
  func reload(_ mark: Mark) {
    if connection.isInTransaction { try? connection.execute(TransactionStatements.rollBack) }
    version = mark.version
    guard let stored = try? CatalogTables(connection).load() else { return }
    try? use(stored)
  }

  private func use(_ contents: CatalogTables.Contents) throws(StorageError) {
    current = try WriteTransaction(
      connection, catalog: contents.catalog, counters: contents.counters, options: options)
  }

  // A disk that is full

  /// Whether only deletions find room on the disk.
  var isReserveSpent: Bool { reserve.isSpent }

  /// Performs something that may be refused for want of room, once more with the reserve where it only deletes.
  func performWithReserve<Success>(
    isDeletion: Bool, _ body: () -> Result<Success, OperationError>
  ) -> Result<Success, OperationError> {
    guard isDeletion || !reserve.isSpent else {
      return .failure(OperationError(operation: 0, reason: .diskFull))
    }
    var result = body()
    guard isDeletion, result.isDiskFull, reserve.spend() || reserve.isSpent else { return result }
    view.published.update { $0.failure = .diskFull }
    result = body()
    guard result.isDiskFull else { return result }
    // Once the write-ahead log is in the database file, it begins anew where it is, without growing.
    maintenance.checkpoint(.restart, on: connection)
    return body()
  }

  /// Takes the reserve back if there is room, that of the write-ahead log included.
  private func restoreReserve() {
    guard reserve.isSpent else { return }
    maintenance.checkpoint(.truncate, on: connection)
    let pages = try? session.integer(session.cached(FileStatements.freePages))
    reserve.restore(freeBytesInFile: Int(pages ?? 0) * 4096)
  }

  // Between commits

  /// Does the work that commits leave. To be called after each, when its clients have their answers.
  func didCommit() { maintenance.didCommit(on: connection) }

  /// Does a step of what is to be done between commits; returns when there may be more.
  func maintain() -> DispatchTimeInterval {
    restoreReserve()
    let failure = view.state.failure
    // Where there is room for deletions only, the log is shortened nevertheless.
    var hasFailed = failure != nil && !reserve.isSpent
    let delay = maintenance.step(on: connection, in: session, now: clock(), hasFailed: &hasFailed)
    if reserve.isSpent { return .milliseconds(500) }
    if failure != nil, !hasFailed { view.published.update { $0.failure = nil } }
    return delay
  }

  /// Removes a part of what is to leave the change log.
  func shortenLog() -> Result<Retention.Rest, StorageError> {
    maintenance.shorten(on: connection, in: session, now: clock())
  }

  /// Ends all work on the file.
  func close() {
    maintenance.stop()
    // The next to open the file reads what the log holds just as well: a checkpoint that fails is no loss.
    try? connection.execute(FileStatements.truncateLog)
  }
}

extension Result where Failure == OperationError {
  /// Whether there was no room.
  fileprivate var isDiskFull: Bool {
    if case .failure(let error) = self { error.reason == .diskFull } else { false }
  }
}
