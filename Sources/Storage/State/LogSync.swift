import GatehouseSQLite
import GatehouseScheduling
import GatehouseTelemetry
import Glibc
import Synchronization

/// Makes durable what was committed without waiting for the disk, and tells of commits once they are durable.
///
///     COMMIT without sync ──▶ open ──half of the window is over, or somebody must know──▶ fdatasync ──▶ durable
///                              │                                                            └───▶ failed, for good
///                              └──COMMIT with a sync, which is one of the whole log──▶ durable
///
/// A sync that has failed says nothing about its pages: the system may have given them up, so that the next one succeeds
/// without them (<https://wiki.postgresql.org/wiki/Fsync_Errors>). From then on nothing is written, nor moved into the
/// database file, until a new process has read what is left of the log.
///
/// A sync of the file is one of everything that was written to it before: the log is one file, and begins anew only when SQLite has
/// synced it and the database file.
final class LogSync: Sendable {
  /// Commits that no sync covers yet.
  private struct Span {
    /// When the first of them was made.
    let start: UInt64
    /// Until when the first of them that must has to be durable.
    var deadline: UInt64
  }

  private struct State {
    var file: Int32 = -1
    /// The commits without sync that were begun, that were made, and that are durable, since the process began.
    var begun = 0
    var made = 0
    var durable = 0
    var open: Span?
    /// The commits that the sync at work is for.
    var running: Span?
    /// When the next sync is due.
    var next = UInt64.max
    var hasFailed = false

    var isSettled: Bool { begun == durable }
  }

  /// A closure that was itself what the mutex holds would be wrapped twice more each time that it is taken out: a
  /// generic `inout` of a function is copied out and back through thunks.
  private struct Observer {
    var didCommit: (@Sendable () -> Void)?
    var others: [@Sendable () -> Void] = []
  }

  /// Windows of which half is less than timers are late.
  private static let shortestDelay: UInt64 = 2_000_000

  private let state = Mutex(State())
  private let failures = Atomic(0)
  private let observer = Mutex(Observer())
  private let lane: any Lane
  private let didFail: @Sendable () -> Void

  /// `didFail` is called once, from any thread, when commits that were answered may not be durable, and never will be.
  init(on scheduler: any Scheduler, didFail: @escaping @Sendable () -> Void) {
    lane = scheduler.makeLane("gatehouse.sync", priority: .userInitiated)
    self.didFail = didFail
  }

  deinit {
    let file = state.withLock { $0.file }
    if file >= 0 { close(file) }
  }

  /// Makes durable what an earlier process has left in the log of the database that `connection` has open.
  ///
  /// It may have been killed before a sync, or after one that failed: so the pages are written anew, into the database file.
  func open(_ database: String, recovering connection: Connection) throws(StorageError) {
    let path = "\(database)-wal"
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .notWritable(path) }
    var status = stat()
    // Where readers are in the way, or the disk is full, the log stays.
    if fstat(file, &status) == 0, status.st_size > 0 { try? connection.checkpoint(.truncate) }
    guard LogSync.sync(file) else {
      close(file)
      throw .notWritable(path)
    }
    state.withLock { state in
      precondition(state.file < 0 && state.begun == 0, "the log is opened once, before the first commit")
      state.file = file
    }
  }

  /// Calls `observer` after every commit, when it is durable. It is called on any thread, which must not wait for it.
  func observe(_ observer: (@Sendable () -> Void)?) {
    self.observer.withLock { $0.didCommit = observer }
  }

  /// Calls another observer as well, for as long as the store is open.
  func add(_ observer: @escaping @Sendable () -> Void) {
    self.observer.withLock { $0.others.append(observer) }
  }

  /// Tells of commits that are durable.
  func notify() {
    let observer = observer.withLock { $0 }
    observer.didCommit?()
    for other in observer.others { other() }
  }

  /// Whether all commits are durable.
  var isSettled: Bool { state.withLock { $0.isSettled } }

  /// The reason why nothing is written any more; nil: it is.
  var failure: StorageError? { state.withLock { $0.hasFailed } ? .syncFailed : nil }

  /// The seconds since the first commit that is not durable; 0: all are.
  var unsyncedSeconds: Double {
    let start = state.withLock { $0.running?.start ?? $0.open?.start }
    return start.map { Double(MonotonicClock.now() &- $0) / 1e9 } ?? 0
  }

  // The writer

  /// Whether a commit need not wait for the disk: a disk that is late must not get more to lose.
  var isOnTime: Bool {
    let now = MonotonicClock.now()
    return state.withLock { state in
      !state.hasFailed && (state.running?.deadline ?? .max) > now && (state.open?.deadline ?? .max) > now
    }
  }

  /// Takes note of a commit without sync that is about to be made, and that others may see before the writer knows.
  func willCommit() {
    state.withLock { state in
      precondition(state.begun == state.made, "one commit is made at a time")
      state.begun += 1
    }
  }

  /// Takes note that it was made, or has failed, and has it durable so many milliseconds from now.
  func didCommit(within milliseconds: Int) {
    precondition(milliseconds > 0, "a commit that does not wait is durable later")
    let (now, window) = (MonotonicClock.now(), UInt64(milliseconds) * 1_000_000)
    let delay = window / 2 < LogSync.shortestDelay ? 0 : window / 2
    let isDue = state.withLock { state in
      precondition(state.made < state.begun, "a commit that was made has begun")
      state.made = state.begun
      var span = state.open ?? Span(start: now, deadline: .max)
      span.deadline = min(span.deadline, now + window)
      state.open = span
      guard now + delay < state.next else { return false }
      state.next = now + delay
      return true
    }
    if isDue { lane.async(after: .nanoseconds(Int64(delay))) { [weak self] in self?.run() } }
  }

  /// Takes note that a commit has synced the log, and tells of commits before it that became durable by that. Throws where a sync has
  /// failed meanwhile: the commit is behind pages that are lost.
  func didSync() throws(StorageError) {
    let synced = state.withLock { state -> Int? in
      precondition(state.begun == state.made, "a commit that syncs the log is the last one in it")
      guard !state.hasFailed else { return nil }
      precondition(state.durable <= state.made, "what is durable was committed before")
      defer { state.durable = state.made }
      state.open = nil
      return state.made - state.durable
    }
    guard let synced else { throw .syncFailed }
    if synced > 0 { notify() }
  }

  /// Takes note of an error: where a sync has failed that commits depend on, they are lost.
  ///
  /// Otherwise nothing is. Linux tells of a failed sync once through each descriptor of the file: it is asked for at once here, and by
  /// ``failedSyncs`` of others, as it would look like a new one when something depends on it.
  ///
  /// - Parameter wasSettled: Whether all commits before the one that has failed are durable; nil: none was begun.
  func note(_ error: StorageError, wasSettled: Bool? = nil) {
    guard error.isFailedSync else { return }
    guard wasSettled ?? isSettled else { return fail() }
    failures.add(1, ordering: .releasing)
    _ = LogSync.sync(state.withLock { $0.file })
  }

  /// The syncs that have failed without a loss.
  var failedSyncs: Int { failures.load(ordering: .acquiring) }

  /// Has the connection move the log into the database file, which begins with a sync of the log.
  ///
  /// Pages that readers let it move only in part are in the file without a sync, and SQLite does not move them again. So where a
  /// later sync of the file fails, they may be lost, and the log must not begin anew: a new process moves all of it.
  func checkpoint(_ connection: Connection, _ extent: Connection.Checkpoint) throws(DatabaseError) {
    guard failure == nil else {
      throw DatabaseError(code: DatabaseError.ioError, message: "a sync has failed")
    }
    do throws(DatabaseError) { try connection.checkpoint(extent) } catch {
      if StorageError(error).isFailedSync { fail() }
      throw error
    }
  }

  // Readers that must not be told what may be lost

  /// Returns when everything is durable that can be seen in the file by now. Throws where a sync has failed: a commit that was under way
  /// then can be seen, and is behind pages that are lost.
  func settle() throws(StorageError) {
    if !state.withLock({ $0.isSettled || $0.hasFailed }) { lane.sync { run() } }
    if let failure { throw failure }
  }

  /// Returns when everything is durable that can be seen in the file by now, or never will be.
  func settled() async {
    if state.withLock({ $0.isSettled }) { return }
    await withUnsafeContinuation { continuation in
      lane.async {
        self.run()
        continuation.resume()
      }
    }
  }

  private func run() {
    lane.assertIsCurrent()
    let work = state.withLock { state -> (file: Int32, made: Int)? in
      state.next = .max
      guard !state.hasFailed, !state.isSettled else { return nil }
      (state.running, state.open) = (state.open, nil)
      return (state.file, state.made)
    }
    guard let work else { return }
    guard LogSync.sync(work.file) else { return fail() }
    state.withLock { state in
      precondition(
        state.made <= state.begun && work.made <= state.made, "what is durable was committed before")
      state.durable = max(state.durable, work.made)
      state.running = nil
    }
    notify()
  }

  private func fail() {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { didFail() }
  }

  private static func sync(_ file: Int32) -> Bool {
    var result: Int32
    repeat { result = fdatasync(file) } while result != 0 && errno == EINTR
    return result == 0
  }
}
