import Dispatch
import GatehouseBSON
import GatehouseSharing
import GatehouseTelemetry
import Synchronization

/// The one writer: takes transactions from any thread, and has those that wait together committed with one fsync.
///
/// No timer delays a lone transaction: what arrives while a group commits is the next group.
///
/// Because everything but the inbox is only touched on `queue`, it is safe to share.
final class Writer: @unchecked Sendable {
  private enum Job {
    /// Handed in at that time.
    case transaction(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>, UInt64)
    case load(BulkLoad, UnsafeContinuation<Result<Commit, OperationError>, Never>)
    case schema(SchemaPlan, UnsafeContinuation<Result<SchemaOutcome, StorageError>, Never>)
    case records([RecordChange], UnsafeContinuation<Result<Bool, StorageError>, Never>)
    case close(UnsafeContinuation<Void, Never>)

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

  private let queue = DispatchQueue(label: "gatehouse.writer", qos: .userInitiated)
  private let inbox = Mutex<[Job]>([])
  private let directory: DataDirectory
  private let committer: Committer
  private let timer: any DispatchSourceTimer
  private let options: StoreOptions
  private let instruments: WriterInstruments

  init(
    _ path: String, options: StoreOptions, metrics: Registry, clock: @escaping @Sendable () -> Date
  ) throws(StorageError) {
    self.options = options
    instruments = WriterInstruments(metrics)
    directory = try DataDirectory(path)
    committer = try Committer(directory, options: options, clock: clock)
    timer = DispatchSource.makeTimerSource(queue: queue)
    committer.observeFailures { [timer] in timer.schedule(deadline: .now() + .milliseconds(500)) }
    timer.setEventHandler { [weak self] in self?.maintain() }
    timer.schedule(deadline: .now())
    timer.activate()
  }

  deinit {
    timer.cancel()
  }

  /// The store as readers see it.
  var view: StoreView { committer.view }

  /// Where temporary files may be.
  var path: String { directory.path }

  /// Calls `observer` after every commit, on the writer's queue, which must not wait for it.
  func observe(_ observer: (@Sendable () -> Void)?) { committer.observe(observer) }

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

  /// Does all jobs that wait, in their order; short transactions that follow each other share a commit.
  private func drain() {
    let jobs = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
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
  private func refuseOverdue(_ job: Job, _ now: UInt64) -> Bool {
    guard case .transaction(_, let continuation, let start) = job, isOverdue(start, now) else { return false }
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
    case .records(let changes, let continuation):
      count(1) { continuation.resume(returning: committer.keep(changes)) }
    case .close(let continuation):
      timer.cancel()
      committer.close()
      directory.release()
      continuation.resume()
    }
  }

  /// Whether what was handed in at `start` has waited for longer than it may.
  private func isOverdue(_ start: UInt64, _ now: UInt64) -> Bool {
    guard let limit = options.writeWait else { return false }
    return now &- start > limit && now > start
  }

  /// Does the work of that many jobs, and counts it.
  private func count(_ jobs: Int, _ work: () -> Void) {
    let (before, start) = (committer.version, MonotonicClock.now())
    work()
    instruments.waiting.add(-jobs)
    let commits = committer.version - before
    if commits > 0 { instruments.didCommit(Int(commits), since: start) }
  }

  /// Does what is to be done between commits, and comes back when there may be more.
  private func maintain() { timer.schedule(deadline: .now() + committer.maintain()) }
}
