import BSON
import Dispatch
import Glibc
import Model
import SQLite
import Sharing
import Synchronization
import Telemetry

/// The one writer: takes transactions from any thread, and commits those that wait together with one fsync.
///
/// No timer delays a lone transaction: what arrives while a group commits is the next group. Files named `Writer+…`
/// hold one kind of job each.
///
/// Because everything but the inbox is only touched on `queue`, it is safe to share.
final class Writer: @unchecked Sendable {
  /// A closure that was itself what the mutex holds would be wrapped twice more each time that it is taken out: a
  /// generic `inout` of a function is copied out and back through thunks.
  private struct CommitObserver {
    var didCommit: (@Sendable () -> Void)?
  }

  private enum Job {
    /// Handed in at that time.
    case transaction(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>, UInt64)
    case load(BulkLoad, UnsafeContinuation<Result<Commit, OperationError>, Never>)
    case schema(SchemaPlan, UnsafeContinuation<Result<SchemaOutcome, StorageError>, Never>)
    case records([RecordChange], UnsafeContinuation<Result<Bool, StorageError>, Never>)
    case close(UnsafeContinuation<Void, Never>)
  }

  /// The most transactions that share a commit, so that none waits long for the first of its group.
  private static let largestGroup = 512

  private let queue = DispatchQueue(label: "gatehouse.writer", qos: .userInitiated)
  private let inbox = Mutex<[Job]>([])
  private let directory: DataDirectory
  /// The store as readers see it; filled here.
  let view: StoreView
  private let observer = Mutex(CommitObserver())
  let clock: @Sendable () -> Date
  let connection: Connection
  var current: WriteTransaction
  /// The last one, those of the group at work included.
  var version: Int64
  var maintenance: Maintenance
  private let timer: any DispatchSourceTimer
  let options: StoreOptions
  var reserve: Reserve
  private let instruments: WriterInstruments

  init(
    _ path: String, options: StoreOptions, metrics: Registry, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.options = options
    instruments = WriterInstruments(metrics)
    directory = try DataDirectory(path)
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
    self.clock = clock
    reserve = Reserve(in: directory.path, size: options.reserveSize)
    maintenance = try Maintenance(options, on: connection, at: directory.database)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.keepUp() }
    timer.schedule(deadline: .now())
    timer.activate()
  }

  deinit {
    timer.cancel()
  }

  /// Where temporary files may be.
  var path: String { directory.path }

  /// Calls `observer` after every commit, on the writer's queue, which must not wait for it.
  func observe(_ observer: (@Sendable () -> Void)?) {
    self.observer.withLock { $0.didCommit = observer }
  }

  func perform(_ transaction: Transaction) async -> Result<Commit, OperationError> {
    await withUnsafeContinuation { continuation in
      let job = Job.transaction(transaction, continuation, MonotonicClock.now())
      guard !submit(job, atMost: options.waitingWrites) else { return }
      continuation.resume(
        returning: .failure(OperationError(operation: 0, reason: .refused(.exhausted))))
    }
  }

  func load(_ load: BulkLoad) async -> Result<Commit, OperationError> {
    await withUnsafeContinuation { submit(.load(load, $0)) }
  }

  func apply(_ plan: SchemaPlan) async -> Result<SchemaOutcome, StorageError> {
    await withUnsafeContinuation { submit(.schema(plan, $0)) }
  }

  func keep(_ changes: [RecordChange]) async -> Result<Bool, StorageError> {
    await withUnsafeContinuation { submit(.records(changes, $0)) }
  }

  func shortenLog() async -> Result<Void, StorageError> {
    while true {
      let result = await withUnsafeContinuation { continuation in
        queue.async {
          continuation.resume(
            returning: self.maintenance.shorten(
              on: self.connection, in: self.current.session, now: self.clock()))
        }
      }
      switch result {
      case .success(.some), .success(.much): continue
      case .success(.nothing): return .success(())
      case .failure(let error): return .failure(error)
      }
    }
  }

  func close() async {
    await withUnsafeContinuation { submit(.close($0)) }
  }

  /// Hands a job to the writer's queue; false: as many wait as may, and it was not taken.
  @discardableResult
  private func submit(_ job: Job, atMost limit: Int = .max) -> Bool {
    let count = inbox.withLock { inbox in
      let count = inbox.count
      if count < limit { inbox.append(job) }
      return count
    }
    guard count < limit else { return false }
    instruments.waiting.add(1)
    if count == 0 { queue.async { self.drain() } }
    return true
  }

  private func drain() {
    let jobs = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
    var group: [(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>)] = []
    var now = MonotonicClock.now()
    for job in jobs {
      if case .transaction(_, let continuation, let start) = job, isOverdue(start, now) {
        instruments.waiting.add(-1)
        continuation.resume(returning: .failure(OperationError(operation: 0, reason: .timeLimit)))
        continue
      }
      if case .transaction(let transaction, let continuation, _) = job, group.count < Self.largestGroup,
        !transaction.isLong
      {
        group.append((transaction, continuation))
        continue
      }
      count(group.count) { commit(group) }
      group = []
      defer { now = MonotonicClock.now() }
      switch job {
      case .transaction(let transaction, let continuation, _) where transaction.isLong:
        count(1) { commitAlone(transaction, continuation) }
      case .transaction(let transaction, let continuation, _): group.append((transaction, continuation))
      case .load(let load, let continuation):
        count(1) {
          continuation.resume(
            returning: performWithReserve(isDeletion: false) { withLargeCache { commit(load) } })
        }
      case .schema(let plan, let continuation):
        count(1) { continuation.resume(returning: migrate(plan)) }
      case .records(let changes, let continuation):
        count(1) { continuation.resume(returning: keepWithReserve(changes)) }
      case .close(let continuation):
        timer.cancel()
        maintenance.stop()
        // The next to open the file reads what the log holds just as well: a checkpoint that fails is no loss.
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        directory.release()
        continuation.resume()
      }
    }
    count(group.count) { commit(group) }
  }

  /// Whether what was handed in at `start` has waited for longer than it may.
  private func isOverdue(_ start: UInt64, _ now: UInt64) -> Bool {
    guard let limit = options.writeWait else { return false }
    return now &- start > limit && now > start
  }

  /// Does what that many jobs ask for, and counts it.
  private func count(_ jobs: Int, _ work: () -> Void) {
    let (before, start) = (version, MonotonicClock.now())
    work()
    instruments.waiting.add(-jobs)
    if version > before { instruments.didCommit(Int(version - before), since: start) }
  }

  /// Does what is to be done between commits, and comes back when there may be more.
  private func keepUp() {
    restoreReserve()
    let failure = view.state.failure
    // Where there is room for deletions only, the log is shortened nevertheless.
    var hasFailed = failure != nil && !reserve.isSpent
    let delay = maintenance.step(
      on: connection, in: current.session, now: clock(), hasFailed: &hasFailed)
    if reserve.isSpent {
      timer.schedule(deadline: .now() + .milliseconds(500))
      return
    }
    if failure != nil, !hasFailed { view.published.update { $0.failure = nil } }
    timer.schedule(deadline: .now() + delay)
  }

  /// Remembers whether writing works. Only a commit shows that it does again.
  func note<Success>(_ result: Result<Success, OperationError>) {
    guard case .failure(let error) = result, error.reason.isFailureOfStore else { return }
    view.published.update { $0.failure = error.reason }
    timer.schedule(deadline: .now() + .milliseconds(500))
  }

  func publish() {
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

  func rollBack(to counters: Counters, _ version: Int64) {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    current.restore(counters, version)
    self.version = version
  }

  func asOperation(_ body: () throws(StorageError) -> Void) throws(OperationError) {
    do throws(StorageError) { try body() } catch { throw OperationError(operation: 0, reason: error) }
  }

  func execute(_ sql: String) throws(StorageError) {
    _ = try current.session.step(try current.session.cached(sql))
  }
}
