import GatehouseScheduling
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

@testable import GatehouseCluster

/// Nodes with their threads, on a log in memory.
struct ClusterMemberTests {
  private let servers = MemoryServers()

  private func member(
    _ name: String, _ store: SharedStore, lease: Duration = .milliseconds(10),
    didStop: @escaping @Sendable (StopReason) -> Void = { _ in }
  ) -> ClusterMember {
    // The name is a word.
    var options = MemberOptions(node: NodeName(name)!, run: "r")
    options.times.lease = lease
    options.times.renewal = .milliseconds(20)
    options.didStop = didStop
    let member = ClusterMember(log: MemoryLog(servers, node: name), store: store, options: options)
    member.start()
    return member
  }

  /// Commits as a store does: only what is in the log.
  private func commit(_ rows: [UInt8], _ store: SharedStore, _ member: ClusterMember)
    -> CommitOutcome
  {
    store.withTurn {
      let first = store.model.point.version + 1
      var (rest, number): (ArraySlice<UInt8>, UInt32) = (rows[...], 0)
      while true {
        let piece = rest.prefix(Entry.rowLimit)
        rest = rest.dropFirst(Entry.rowLimit)
        let part = Entry.Part(number, isLast: rest.isEmpty)
        let versions = first..<(part.isLast ? first + 1 : first)
        let outcome = member.append(Array(piece), part: part, versions: versions)
        guard case .committed(let point) = outcome else { return outcome }
        if part.isLast {
          store.commit(rows, versions: versions, at: point)
          return outcome
        }
        number += 1
      }
    }
  }

  @Test func `what one node commits the other has, and takes over when the first has resigned`()
    async throws
  {
    try await offPool {
      let (first, second) = (SharedStore(), SharedStore())
      let a = member("a", first)
      first.waitUntilLeading()
      // It leads only where the other one has resigned.
      let b = member("b", second, lease: .seconds(60))
      guard case .committed(let point) = commit(Array("one".utf8), first, a) else {
        Issue.record("not committed")
        return
      }
      guard case .notLeader = commit([1], second, b) else {
        Issue.record("a follower commits")
        return
      }
      // Three parts, the last of which commits.
      let large = [UInt8](repeating: 7, count: 2 * Entry.rowLimit + 5)
      guard case .committed(let end) = commit(large, first, a) else {
        Issue.record("not committed")
        return
      }
      #expect(end.position >= point.position + 3)
      second.waitUntil(version: 2)
      #expect(second.model == first.model)
      #expect(a.status.role == .leader && a.status.leader == "a" && b.status.role == .follower)
      a.resign()
      second.waitUntilLeading()
      guard case .committed = commit(Array("two".utf8), second, b) else {
        Issue.record("not committed")
        return
      }
      first.waitUntil(version: 3)
      #expect(second.model == first.model)
      a.close()
      b.close()
    }
  }

  @Test func `a node that is to step down during a commit does so behind it`() async throws {
    try await offPool {
      let log = HeldLog(MemoryLog(servers, node: "a"))
      var options = MemberOptions(node: try #require(NodeName("a")), run: "r")
      options.times.lease = .milliseconds(10)
      // Nothing but the end of the commit has it look again.
      options.times.renewal = .seconds(3_600)
      let store = SharedStore()
      let member = ClusterMember(log: log, store: store, options: options)
      member.start()
      store.waitUntilLeading()
      log.isHeld.withLock { $0 = true }
      DispatchScheduler().makeLane("commit", priority: .userInitiated).async {
        _ = member.append([1], part: Entry.Part(0, isLast: true), versions: 1..<2)
        log.ended.signal()
      }
      log.began.wait()
      member.stepDown()
      usleep(50_000)
      log.isHeld.withLock { $0 = false }
      log.ended.wait()
      // A takeover, the commit, the resignation; then it may lead again, since nobody else does.
      for _ in 0..<3_000 where servers.stream.last < 3 { usleep(10_000) }
      #expect(servers.stream.last >= 3)
      member.close()
    }
  }

  @Test func `a node says why it does not start on a log that loses entries`() async throws {
    try await offPool {
      servers.report(
        LogHealth(
          hasLeader: true, replicas: 1, currentReplicas: 1,
          defects: [.replicas(1), .syncInterval("2m")]))
      let signal = DispatchScheduler().makeSignal()
      let found = Mutex<StopReason?>(nil)
      let member = member("a", SharedStore()) { reason in
        found.withLock { $0 = reason }
        signal.signal()
      }
      signal.wait()
      #expect(found.withLock(\.self) == .unsafeLog([.replicas(1), .syncInterval("2m")]))
      #expect(
        found.withLock { $0?.description }
          == "The log has 1 replica(s); it needs 3 (`num_replicas`). The log server syncs after it has acknowledged "
          + "(`sync_interval: 2m`); set `sync_interval: always`.")
      #expect(member.status.role == .stopped)
      member.close()
    }
  }
}

/// A log whose appends wait while the test says so.
private final class HeldLog: ReplicatedLog {
  private let log: MemoryLog
  let isHeld = Mutex(false)
  /// Raised when an append waits, and when the test's has ended.
  let began: any Signal = DispatchScheduler().makeSignal()
  let ended: any Signal = DispatchScheduler().makeSignal()

  init(_ log: MemoryLog) { self.log = log }

  func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String, limit: Duration
  ) -> AppendOutcome {
    if isHeld.withLock(\.self) { began.signal() }
    while isHeld.withLock(\.self) { usleep(1_000) }
    return log.append(entry, expecting: expected, identity: identity, limit: limit)
  }

  func read(after position: UInt64, patience: Duration) throws(LogError) -> LogPage {
    try log.read(after: position, patience: patience)
  }

  func health() throws(LogError) -> LogHealth { try log.health() }

  func remove() throws(LogError) { try log.remove() }

  func close() { log.close() }
}

/// A store that a node and a test use: one at a time writes.
final class SharedStore: LocalStore {
  private struct State {
    var model = ModelStore()
    var isLeading = false
  }

  private let state = Mutex(State())
  private let turn = Mutex(())
  /// Raised at each change.
  private let changed: any Signal = DispatchScheduler().makeSignal()

  var model: ModelStore { state.withLock(\.model) }

  func withTurn<Result>(_ body: () -> Result) -> Result { turn.withLock { _ in body() } }

  func commit(_ rows: [UInt8], versions: Range<Int64>, at point: LogPoint) {
    state.withLock { $0.model.commit(rows, versions: versions, at: point) }
    changed.signal()
  }

  func waitUntilLeading() { while !state.withLock(\.isLeading) { changed.wait() } }

  func waitUntil(version: Int64) { while model.point.version < version { changed.wait() } }

  func follow(_ leader: String?) -> StorePoint {
    withTurn {
      state.withLock { state in
        state.isLeading = false
        return state.model.point
      }
    }
  }

  func didChangeLeader(_ leader: String?) {}

  func note(_ point: LogPoint, whileLeading: Bool) {}

  func lead(epoch: UInt64) {
    state.withLock { $0.isLeading = true }
    changed.signal()
  }

  func apply(_ rows: EntryRows) {
    withTurn { state.withLock { $0.model.apply(rows) } }
    changed.signal()
  }

  func installSnapshot(atLeast position: UInt64) throws -> StorePoint { throw LogError.unavailable }
}
