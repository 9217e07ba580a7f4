public import GatehouseScheduling
public import GatehouseStorage
internal import Synchronization

/// A store as a node of a cluster: its transactions go into the log, and those of others come from there.
///
/// It is made first, the store is opened with it as ``GatehouseStorage/StoreOptions/log``, and ``start(_:log:options:)`` brings both
/// together.
public final class StoreMember: TransactionLog, LocalStore {
  private struct Parts {
    var member: ClusterMember?
    var store: Store?
  }

  private let scheduler: any Scheduler
  private let didChange: @Sendable (StoreRole) -> Void
  private let didAdvance: @Sendable () -> Void
  private let parts = Mutex(Parts())
  private let digester: StoreDigester

  /// A majority of the log's servers has synced what it has accepted.
  public let isDurable = true

  /// - Parameters:
  ///   - didAdvance: Called when the store has come to a later place in the log by what it reads there; it must not wait.
  ///   - didChange: Called when the store begins to lead or to follow, and when it follows another node; it must not wait.
  public init(
    scheduler: any Scheduler, didAdvance: @escaping @Sendable () -> Void = {},
    didChange: @escaping @Sendable (StoreRole) -> Void = { _ in }
  ) {
    (self.scheduler, self.didAdvance, self.didChange) = (scheduler, didAdvance, didChange)
    digester = StoreDigester(on: scheduler)
  }

  /// Begins to take part with a store that was opened with this log.
  public func start(
    _ store: Store, log: any ReplicatedLog, options: MemberOptions
  ) -> ClusterMember {
    let member = ClusterMember(log: log, store: self, options: options)
    parts.withLock { parts in
      precondition(parts.member == nil, "a store is a member of one cluster")
      parts = Parts(member: member, store: store)
    }
    store.handleNotices(ofKind: StoreDigester.notice) { [digester, directory = store.directory] notice in
      digester.begin(String(decoding: notice.content, as: UTF8.self), in: directory)
    }
    member.start()
    return member
  }

  private var store: Store {
    get throws {
      guard let store = parts.withLock(\.store) else { throw LogError.closed }
      return store
    }
  }

  // The store's transactions

  public func append(_ part: TransactionPart) throws(TransactionLogError) -> ReplicationPoint {
    guard let member = parts.withLock(\.member) else { throw .unavailable }
    let outcome = member.append(
      part.bytes, part: Entry.Part(UInt32(part.number), isLast: part.isLast),
      versions: (part.base + 1)..<(part.version + 1))
    switch outcome {
    case .committed(let point): return ReplicationPoint(point)
    case .notLeader: throw .refused
    case .unavailable: throw .unavailable
    case .unknown: throw .inDoubt
    }
  }

  public var isUnchanged: Bool { parts.withLock(\.member)?.status.hasLease ?? false }

  public func didNotCommit(_ point: ReplicationPoint) {
    parts.withLock(\.member)?.didFailToCommit()
  }

  // Comparing stores

  /// The digest of the store that was asked for last; nil: none was, or the store could not be read.
  public var digest: StoreDigest? { digester.digest }

  /// Has every node make a digest of its store as it is at one place of the log, where this one leads. Throws the store's errors.
  ///
  /// - Parameter comparison: A name that no other comparison has.
  public func compare(_ comparison: String) async throws {
    let store = try store
    var transaction = Transaction([])
    transaction.notice = ReplicationNotice(StoreDigester.notice, Array(comparison.utf8))
    // Nodes that follow are told before they have anything of the entry: the file is as this one's is now.
    transaction.hook = CommitHook(needsObjects: false) { [digester, directory = store.directory] _ in
      digester.begin(comparison, in: directory)
      return []
    }
    _ = try await store.perform(transaction)
  }

  // Transactions of other stores

  public func follow(_ leader: String?) throws -> StorePoint {
    let store = try store
    try wait { await store.follow() }
    didChange(.follows(leader))
    guard let stored = store.replicationPoint, let point = LogPoint(stored) else {
      throw StopReason.unreadableStore("its place in the log")
    }
    return StorePoint(log: point, version: store.version)
  }

  public func didChangeLeader(_ leader: String?) { didChange(.follows(leader)) }

  public func lead(epoch: UInt64) throws {
    let store = try store
    try wait { try await store.lead(sharesSecret: true) }
    didChange(.leads(epoch: epoch))
  }

  public func apply(_ rows: EntryRows) throws {
    let store = try store
    let part: TransactionPart
    do throws(GatehouseStorage.EntryError) { part = try TransactionPart(rows.rows) } catch {
      if case .unknownFormat(let format) = error {
        throw StopReason.unknownRows(position: rows.point.position, format)
      }
      throw StopReason.notApplicable(position: rows.point.position, "\(error)")
    }
    // The entry says of its rows what they say themselves.
    guard part.number == Int(rows.part.number), part.isLast == rows.part.isLast,
      part.base + 1 == rows.versions.lowerBound, part.version + 1 == rows.versions.upperBound
    else {
      throw StopReason.notApplicable(
        position: rows.point.position, "The rows are of another part or version.")
    }
    do {
      try wait { try await store.apply(part, at: ReplicationPoint(rows.point)) }
      didAdvance()
    } catch let error as StorageError {
      switch error {
      case .diverged, .invalidEntry:
        throw StopReason.notApplicable(position: rows.point.position, "\(error)")
      // It is the same with every other entry.
      case .syncFailed: throw StopReason.diskFailed
      default: throw error
      }
    }
  }

  public func note(_ point: LogPoint, whileLeading: Bool) throws {
    let store = try store
    try wait { try await store.note(ReplicationPoint(point), whileLeading: whileLeading) }
    didAdvance()
  }

  public func installSnapshot(atLeast position: UInt64) throws -> StorePoint {
    throw StopReason.behindLog(first: position + 1)
  }

  /// Waits for something that the store does on its own threads.
  private func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let pending = PendingResult(scheduler)
    Task {
      do {
        try await body()
        pending.finish(nil)
      } catch { pending.finish(error) }
    }
    try pending.wait()
  }
}

/// The part of a node's store in its cluster.
public enum StoreRole: Hashable, Sendable {
  case leads(epoch: UInt64)
  /// The node that leads, nil: none is known.
  case follows(String?)
}

/// The end of something that a thread waits for.
private final class PendingResult: Sendable {
  private let error = Mutex<(any Error)?>(nil)
  private let signal: any Signal

  init(_ scheduler: any Scheduler) { signal = scheduler.makeSignal() }

  func finish(_ error: (any Error)?) {
    self.error.withLock { $0 = error }
    signal.signal()
  }

  func wait() throws {
    signal.wait()
    if let error = error.withLock(\.self) { throw error }
  }
}
