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
  /// What others may know of the store.
  struct State {
    var catalog: Catalog
    /// The last commit's version.
    var version: Int64
    /// For each class of the catalog, the version of the last commit that changed an object of it.
    var changes: [Int64]
    /// Why the last write failed, where the file or the disk is at fault.
    var failure: StorageError?
  }

  /// A closure that was itself what the mutex holds would be wrapped twice more each time that it is taken out: a
  /// generic `inout` of a function is copied out and back through thunks.
  private struct CommitObserver {
    var didCommit: (@Sendable () -> Void)?
  }

  private enum Job {
    /// Handed in at that time.
    case transaction(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>, UInt64)
    case load(Load, UnsafeContinuation<Result<Commit, OperationError>, Never>)
    case schema(SchemaPlan, UnsafeContinuation<Result<SchemaOutcome, StorageError>, Never>)
    case records([RecordChange], UnsafeContinuation<Result<Bool, StorageError>, Never>)
    case close(UnsafeContinuation<Void, Never>)
  }

  /// So many transactions share a commit at most, so that none waits long for the first of its group.
  private static let largestGroup = 512

  private let queue = DispatchQueue(label: "gatehouse.writer", qos: .userInitiated)
  private let inbox = Mutex<[Job]>([])
  private let directory: DataDirectory
  let published: Published<State>
  private let observer = Mutex(CommitObserver())
  let clock: @Sendable () -> Date
  let connection: Connection
  var session: WriteTransaction
  /// The last one, those of the group at work included.
  var version: Int64
  var maintenance: Maintenance
  private let timer: any DispatchSourceTimer
  let options: StoreOptions
  var reserve: Reserve
  private let instruments: WriterInstruments
  /// What readers have written lately.
  let cache = ObjectCache(budget: 64 << 20)
  /// How many reads wait for a thread.
  let waitingReads = Atomic(0)
  /// The commits that those who follow the log read next.
  let tail = LogTail(budget: 8 << 20)

  init(
    _ path: String, options: StoreOptions, metrics: Registry, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.options = options
    instruments = WriterInstruments(metrics)
    directory = try DataDirectory(path)
    connection = try DatabaseFile.openWriter(directory.database)
    try DatabaseFile.prepare(connection, path: directory.database)
    let stored = try CatalogTables(connection).load()
    session = try WriteTransaction(
      connection, catalog: stored.catalog, counters: stored.counters, options: options)
    version = stored.version
    let changes = Array(repeating: stored.version, count: stored.catalog.tables.count)
    published = Published(State(catalog: stored.catalog, version: stored.version, changes: changes))
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

  var database: String { directory.database }

  /// Where temporary files may be.
  var path: String { directory.path }

  /// The store as of the last commit that has been answered, or a later one.
  var state: State { published.value }

  /// Calls `observer` after every commit, on the writer's queue, which must not wait for it.
  func observe(_ observer: (@Sendable () -> Void)?) {
    self.observer.withLock { $0.didCommit = observer }
  }

  /// Whether reads wait for a thread.
  var isReadingBusy: Bool { waitingReads.load(ordering: .relaxed) > 0 }

  func perform(_ transaction: Transaction) async -> Result<Commit, OperationError> {
    await withUnsafeContinuation { continuation in
      let job = Job.transaction(transaction, continuation, WriterInstruments.now())
      guard !submit(job, atMost: options.waitingWrites) else { return }
      continuation.resume(
        returning: .failure(OperationError(operation: 0, reason: .refused(.exhausted))))
    }
  }

  func load(_ load: Load) async -> Result<Commit, OperationError> {
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
              on: self.connection, in: self.session.reading, now: self.clock()))
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
    var now = WriterInstruments.now()
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
      defer { now = WriterInstruments.now() }
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
    let (before, start) = (version, WriterInstruments.now())
    work()
    instruments.waiting.add(-jobs)
    if version > before { instruments.didCommit(Int(version - before), since: start) }
  }

  /// Does what is to be done between commits, and comes back when there may be more.
  private func keepUp() {
    restoreReserve()
    let failure = state.failure
    // Where there is room for deletions only, the log is shortened nevertheless.
    var hasFailed = failure != nil && !reserve.isSpent
    let delay = maintenance.step(
      on: connection, in: session.reading, now: clock(), hasFailed: &hasFailed)
    if reserve.isSpent {
      timer.schedule(deadline: .now() + .milliseconds(500))
      return
    }
    if failure != nil, !hasFailed { published.update { $0.failure = nil } }
    timer.schedule(deadline: .now() + delay)
  }

  /// Remembers whether writing works. Only a commit shows that it does again.
  func note<Success>(_ result: Result<Success, OperationError>) {
    guard case .failure(let error) = result, error.reason.isFailureOfStore else { return }
    published.update { $0.failure = error.reason }
    timer.schedule(deadline: .now() + .milliseconds(500))
  }

  func publish() {
    let reserve = reserve
    let (catalog, version, changed) = (session.catalog, version, session.takeChangedTables())
    published.update { state in
      if state.catalog !== catalog { state.changes = Array(repeating: version, count: catalog.tables.count) }
      state.catalog = catalog
      state.version = version
      state.failure = reserve.isSpent ? .diskFull : nil
      for table in changed { state.changes[table] = version }
    }
    session.log.piece = tail.add(session.log.piece, through: version)
    observer.withLock { $0 }.didCommit?()
  }

  func rollBack(to counters: Counters, _ version: Int64) {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    session.restore(counters, version)
    self.version = version
  }

  func asOperation(_ body: () throws(StorageError) -> Void) throws(OperationError) {
    do throws(StorageError) { try body() } catch { throw OperationError(operation: 0, reason: error) }
  }

  func storeCounters() throws(StorageError) {
    try CatalogTables(connection).store(session.counters, of: session.catalog, in: session.reading)
    session.counters.changed = []
  }

  func execute(_ sql: String) throws(StorageError) {
    _ = try session.reading.step(try session.reading.cached(sql))
  }
}
