import GatehouseBSON
import GatehouseScheduling
import GatehouseSharing
import GatehouseTelemetry
import Glibc
import Synchronization

/// The one writer: takes transactions from any thread, and has those that wait together committed with one fsync.
///
/// No timer delays a lone transaction: what arrives while a group commits is the next group. ``WriteSchedule`` says what is
/// performed when.
///
/// Because everything but the schedule is only touched on `lane`, it is safe to share.
final class Writer: @unchecked Sendable {
  private enum Job {
    /// Handed in at that time.
    case transaction(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>, UInt64)
    case load(BulkLoad, UnsafeContinuation<Result<Commit, OperationError>, Never>)
    case schema(SchemaPlan, UnsafeContinuation<Result<SchemaOutcome, StorageError>, Never>)
    case migration([MigrationStep], isTrial: Bool, UnsafeContinuation<Result<Int64, OperationError>, Never>)
    case records([RecordChange], UnsafeContinuation<Result<Bool, StorageError>, Never>)
    /// Another thread writes.
    case turn(WriterTurn)
    case close(@Sendable () -> Void)

    /// The caller whose share of the waiting writes it takes; nil: it is taken whatever waits.
    var caller: Caller? {
      switch self {
      case .transaction(let transaction, _, _): transaction.caller
      case .load(let load, _): load.caller
      case .schema, .migration, .records, .turn, .close: nil
      }
    }

    /// A transaction that may share its commit with others. Whoever hands in a long one gives it an interruption, and no other:
    /// its operations are not counted once more.
    var shortTransaction: Committer.Waiting? {
      guard case .transaction(let transaction, let continuation, _) = self, transaction.interruption == nil
      else {
        return nil
      }
      return (transaction, continuation)
    }
  }

  /// The most transactions that share a commit, so that none waits long for the first of its group.
  private static let largestGroup = 512

  private let lane: any Lane
  private let schedule: Mutex<WriteSchedule<Job>>
  private let directory: DataDirectory
  private let committer: Committer
  private let timer: any LaneTimer
  private let options: StoreOptions
  private let instruments: WriterInstruments
  /// Whether all writing has ended. Touched on `lane` only.
  private var isClosed = false
  /// The thread that has the writer's turn; 0: none but the writer's own.
  private let turnHolder = Atomic<UInt>(0)

  init(
    _ path: String, options: StoreOptions, metrics: Registry, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.options = options
    lane = options.scheduler.makeLane("gatehouse.writer", priority: .userInitiated)
    timer = lane.makeTimer()
    schedule = Mutex(WriteSchedule(places: options.waitingWrites, caller: \.caller))
    instruments = WriterInstruments(metrics)
    directory = try DataDirectory(path)
    committer = try Committer(directory, options: options, clock: clock)
    metrics.read(
      "gatehouse_unsynced_seconds",
      help: "Since when there are commits that were answered and are not durable yet."
    ) { [sync = committer.view.sync] in sync.unsyncedSeconds }
    committer.observeFailures { [timer] in timer.schedule(after: .milliseconds(500)) }
    timer.handle { [weak self] in self?.maintain() }
    timer.schedule(after: .zero)
  }

  deinit {
    timer.cancel()
  }

  /// The store as readers see it.
  var view: StoreView { committer.view }

  /// The state of replication; nil: the store is alone.
  var replication: ReplicationStatus? { committer.replication?.status }

  /// Where temporary files may be.
  var path: String { directory.path }

  func perform(_ transaction: Transaction) async -> Result<Commit, OperationError> {
    await withUnsafeContinuation { continuation in
      let job = Job.transaction(transaction, continuation, MonotonicClock.now())
      if let refusal = submit(job) { continuation.resume(returning: .failure(refusal)) }
    }
  }

  func load(_ load: BulkLoad) async -> Result<Commit, OperationError> {
    await withUnsafeContinuation { continuation in
      if let refusal = submit(.load(load, continuation)) { continuation.resume(returning: .failure(refusal)) }
    }
  }

  func apply(_ plan: SchemaPlan) async -> Result<SchemaOutcome, StorageError> {
    await withUnsafeContinuation { _ = submit(.schema(plan, $0)) }
  }

  func migrate(_ steps: [MigrationStep], isTrial: Bool) async -> Result<Int64, OperationError> {
    await withUnsafeContinuation { _ = submit(.migration(steps, isTrial: isTrial, $0)) }
  }

  func keep(_ changes: [RecordChange]) async -> Result<Bool, StorageError> {
    await withUnsafeContinuation { _ = submit(.records(changes, $0)) }
  }

  func shortenLog() async -> Result<Void, StorageError> {
    while true {
      let result = await withUnsafeContinuation { continuation in
        lane.async {
          continuation.resume(returning: self.committer.shortenLog())
        }
      }
      switch result {
      case .success(.some), .success(.much): continue
      case .success(.nothing): return .success(())
      case .failure(let error): return .failure(error)
      }
    }
  }

  func compact() async -> Result<Compaction.Outcome, StorageError> {
    await withUnsafeContinuation { continuation in
      lane.async { continuation.resume(returning: self.committer.compact()) }
    }
  }

  /// Does something on the writer's queue that only a store with a log does.
  func replicate<Success: Sendable>(
    _ body: @escaping @Sendable (borrowing ReplicaWriter) -> Result<Success, StorageError>
  ) async -> Result<Success, StorageError> {
    await withUnsafeContinuation { continuation in
      lane.async {
        guard let writer = ReplicaWriter(self.committer) else { preconditionFailure("the store has no log") }
        guard !self.isClosed else { return continuation.resume(returning: .failure(.cancelled)) }
        let (before, start) = (self.committer.version, MonotonicClock.now())
        let result = body(writer)
        self.didCommit(after: before, since: start)
        continuation.resume(returning: result)
      }
    }
  }

  /// Ends all work when everything that waits is done.
  func close() async {
    await withUnsafeContinuation { continuation in _ = submit(.close { continuation.resume() }) }
  }

  /// Ends all work when everything that waits is done, which the thread waits for.
  func closeAndWait() {
    let done = options.scheduler.makeSignal()
    _ = submit(.close { done.signal() })
    done.wait()
  }

  // Writing by another thread

  /// Waits for the writer's turn, which is this thread's until it gives it to ``end(_:)``. Throws
  /// ``StorageError/nestedWrite`` where the thread has it already.
  func takeTurn(limit: UInt64? = nil) throws(StorageError) -> WriterTurn {
    let thread = UInt(pthread_self())
    guard turnHolder.load(ordering: .acquiring) != thread else { throw .nestedWrite }
    if limit == nil, let turn = takeIdleTurn(of: thread) {
      turnHolder.store(thread, ordering: .releasing)
      return turn
    }
    let turn = WriterTurn(of: thread, limit: limit, on: options.scheduler)
    if let error = submit(.turn(turn)) { throw error.reason }
    turn.wait()
    turnHolder.store(thread, ordering: .releasing)
    return turn
  }

  /// Takes the turn where no other write waits; nil: others do.
  private func takeIdleTurn(of thread: UInt) -> WriterTurn? {
    var turn: WriterTurn?
    lane.sync {
      guard !isClosed, schedule.withLock({ $0.isIdle }) else { return }
      let (before, start) = (committer.version, MonotonicClock.now())
      turn = WriterTurn(of: thread, suspending: lane) { [self] in
        didCommit(after: before, since: start)
        committer.didCommit()
      }
    }
    return turn
  }

  /// Ends a turn, by any thread. Where it has expired, another thread may have one by now.
  func end(_ turn: WriterTurn) {
    _ = turnHolder.compareExchange(expected: turn.thread, desired: 0, ordering: .acquiringAndReleasing)
    turn.end()
  }

  /// Begins a transaction on the caller's thread.
  func begin(limit: UInt64?, isObserved: Bool) throws(StorageError) -> InteractiveWrite {
    try InteractiveWrite(of: self, committer, holding: try takeTurn(limit: limit), isObserved: isObserved)
  }

  /// Begins a transaction on the caller's thread that changes the schema first.
  func begin(reshapingBy plan: SchemaPlan) throws(StorageError) -> InteractiveWrite {
    try InteractiveWrite(of: self, committer, holding: try takeTurn(), reshapingBy: plan)
  }

  /// Changes the schema on the caller's thread, and returns when that is durable.
  func applyAndWait(_ plan: SchemaPlan) throws(StorageError) -> SchemaOutcome {
    let turn = try takeTurn()
    defer { end(turn) }
    return try committer.migrate(plan).get()
  }

  /// Changes records on the caller's thread, and returns when that is durable.
  func keepAndWait(_ changes: [RecordChange]) throws(StorageError) -> Bool {
    let turn = try takeTurn()
    defer { end(turn) }
    return try committer.keep(changes).get()
  }

  /// Hands a job to the writer's queue, or returns why it is not taken: as many wait as may, in all or of its caller.
  private func submit(_ job: Job) -> OperationError? {
    do throws(SharingError) {
      let isFirst = try schedule.withLock { schedule throws(SharingError) in
        switch job {
        case .transaction(let transaction, _, _) where transaction.interruption != nil:
          try schedule.submitLong(job, for: transaction.caller)
        case .load(let load, _): try schedule.submitLong(job, for: load.caller)
        case .transaction, .schema, .migration, .records, .turn: try schedule.submitShort(job)
        case .close: schedule.submitLast(job)
        }
      }
      instruments.waiting.add(1)
      if isFirst { lane.async { self.performRound() } }
      return nil
    } catch {
      return OperationError(operation: 0, reason: .refused(error))
    }
  }

  /// Performs the short writes that wait, and one long one. Those that still wait then have a round of their own, so that
  /// maintenance comes in between.
  private func performRound() {
    lane.assertIsCurrent()
    if isClosed { return refuseAll() }
    precondition(!committer.isInTransaction || replication != nil, "a round begins between transactions")
    let now = MonotonicClock.now()
    let round = schedule.withLock { $0.takeRound { self.isOverdue($0, now) } }
    for job in round.overdue { refuseOverdue(job, now) }
    performShort(round.short)
    if let (job, caller) = round.long {
      let start = MonotonicClock.now()
      run(job)
      schedule.withLock { $0.finish(caller, after: MonotonicClock.now() &- start) }
    }
    for last in round.last { if isClosed { refuse(last) } else { run(last) } }
    if round.hasSuccessor { lane.async { self.performRound() } }
  }

  /// Gives up what was handed in after the end of all writing: another process may have the directory by now.
  private func refuseAll() {
    let round = schedule.withLock { $0.takeRound() }
    for job in round.overdue + round.short { refuse(job) }
    if let (job, _) = round.long { refuse(job) }
    for last in round.last { refuse(last) }
    if round.hasSuccessor { lane.async { self.performRound() } }
  }

  private func refuse(_ job: Job) {
    instruments.waiting.add(-1)
    let refusal = OperationError(operation: 0, reason: .cancelled)
    switch job {
    case .transaction(_, let continuation, _), .load(_, let continuation):
      continuation.resume(returning: .failure(refusal))
    case .schema(_, let continuation): continuation.resume(returning: .failure(.cancelled))
    case .migration(_, _, let continuation): continuation.resume(returning: .failure(refusal))
    case .records(_, let continuation): continuation.resume(returning: .failure(.cancelled))
    // A thread that waits for its turn would write.
    case .turn: break
    case .close(let done): done()
    }
  }

  /// Does jobs in their order; transactions that follow each other share a commit.
  private func performShort(_ jobs: [Job]) {
    var group: [Committer.Waiting] = []
    var now = MonotonicClock.now()
    for job in jobs {
      if refuseOverdue(job, now) { continue }
      let short = job.shortTransaction
      if short == nil || group.count == Self.largestGroup {
        commit(&group)
        if short == nil { run(job) }
        now = MonotonicClock.now()
      }
      if let short { group.append(short) }
    }
    commit(&group)
  }

  /// Gives up a transaction that has waited for longer than it may; false: it has not.
  @discardableResult
  private func refuseOverdue(_ job: Job, _ now: UInt64) -> Bool {
    guard case .transaction(_, let continuation, _) = job, isOverdue(job, now) else { return false }
    instruments.waiting.add(-1)
    continuation.resume(returning: .failure(OperationError(operation: 0, reason: .timeLimit)))
    return true
  }

  private func commit(_ group: inout [Committer.Waiting]) {
    count(group.count) { committer.commitGroup(group) }
    group = []
  }

  /// Does a job by itself.
  private func run(_ job: Job) {
    switch job {
    case .transaction(let transaction, let continuation, _):
      count(1) { committer.commitAlone((transaction, continuation)) }
    case .load(let load, let continuation):
      count(1) { continuation.resume(returning: committer.commitLoad(load)) }
    case .schema(let plan, let continuation):
      count(1) { continuation.resume(returning: committer.migrate(plan)) }
    case .migration(let steps, let isTrial, let continuation):
      count(1) { continuation.resume(returning: committer.migrate(steps, isTrial: isTrial)) }
    case .records(let changes, let continuation):
      count(1) { continuation.resume(returning: committer.keep(changes)) }
    case .turn(let turn):
      let before = committer.mark
      count(1) { turn.give { [committer] in committer.rollBack(to: before) } }
      committer.didCommit()
    case .close(let done):
      timer.cancel()
      isClosed = true
      committer.close()
      directory.release()
      instruments.waiting.add(-1)
      done()
    }
  }

  /// Whether a transaction has waited for longer than it may.
  private func isOverdue(_ job: Job, _ now: UInt64) -> Bool {
    guard let limit = options.writeWait, case .transaction(_, _, let start) = job else { return false }
    return now &- start > limit && now > start
  }

  /// Does the work of that many jobs, and counts it.
  private func count(_ jobs: Int, _ work: () -> Void) {
    let (before, start) = (committer.version, MonotonicClock.now())
    work()
    instruments.waiting.add(-jobs)
    didCommit(after: before, since: start)
  }

  private func didCommit(after before: Int64, since start: UInt64) {
    let commits = committer.version - before
    if commits > 0 { instruments.didCommit(Int(commits), committer.file.durability, since: start) }
  }

  /// Does what is to be done between commits, and comes back when there may be more.
  private func maintain() {
    lane.assertIsCurrent()
    precondition(!committer.isInTransaction || replication != nil, "maintenance is between transactions")
    timer.schedule(after: committer.maintain())
  }
}
