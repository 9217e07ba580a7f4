public import GatehouseScheduling
internal import Synchronization

/// A node's connection to a log in memory, with faults: for tests, and for the simulator.
///
/// It does the same whenever it is asked the same in the same order: all that is random comes from whoever makes the faults.
public final class MemoryLog: ReplicatedLog {
  public enum Call: Hashable, Sendable {
    case append
    case read
  }

  /// Something that goes wrong with one call.
  public enum Failure: Hashable, Sendable {
    case none
    /// Nothing reaches the servers.
    case unavailable
    /// No answer comes back.
    case inDoubt(Fate)
    /// A server that is late says that another position is the last one, or lacks that many entries.
    case late(UInt64)
    /// The call takes this long, and then does what it should.
    case delayed(Duration)
  }

  /// The end of an append whose answer was lost.
  public enum Fate: Hashable, Sendable {
    case written
    case lost
    /// It is written behind the next call of anybody, unless that was an append that came first.
    case writtenLater
  }

  private let servers: MemoryServers
  private let node: String
  private let scheduler: any Scheduler
  private let fault: @Sendable (Call) -> Failure
  private let isClosed = Mutex(false)

  /// - Parameters:
  ///   - node: The name that ``MemoryServers/setPartitioned(_:_:)`` knows it by.
  ///   - fault: Called for each call, by the thread that makes it.
  public init(
    _ servers: MemoryServers, node: String, scheduler: any Scheduler = DispatchScheduler(),
    fault: @escaping @Sendable (Call) -> Failure = { _ in .none }
  ) {
    self.servers = servers
    self.node = node
    self.scheduler = scheduler
    self.fault = fault
  }

  public func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String, limit: Duration
  ) -> AppendOutcome {
    precondition(entry.count <= Entry.sizeLimit, "an entry has at most so many bytes")
    guard isReachable else { return .unavailable }
    switch fault(.append) {
    case .none: break
    case .unavailable: return .unavailable
    case .late(let missing): return .refused(current: expected - min(expected, missing))
    case .delayed(let delay): wait(delay)
    case .inDoubt(.written):
      _ = servers.append(entry, expecting: expected, identity: identity)
      wait(limit)
      return .inDoubt
    case .inDoubt(.lost):
      wait(limit)
      return .inDoubt
    case .inDoubt(.writtenLater):
      servers.appendLate(entry, expecting: expected, identity: identity)
      wait(limit)
      return .inDoubt
    }
    return servers.append(entry, expecting: expected, identity: identity)
  }

  public func read(after position: UInt64, patience: Duration) throws(LogError) -> LogPage {
    guard isReachable else { throw .unavailable }
    var missing: UInt64 = 0
    switch fault(.read) {
    case .none: break
    case .unavailable, .inDoubt: throw .unavailable
    case .late(let count): missing = count
    case .delayed(let delay): wait(delay)
    }
    // Before it looks, so that no append comes between the two.
    let signal = scheduler.makeSignal()
    servers.notify(signal)
    let page = servers.page(after: position, missing: missing)
    guard page.items.isEmpty, signal.wait(for: patience) else { return page }
    guard isReachable else { throw .unavailable }
    return servers.page(after: position, missing: missing)
  }

  public func health() throws(LogError) -> LogHealth {
    guard isReachable else { throw .unavailable }
    return servers.health
  }

  public func remove() throws(LogError) {
    guard isReachable else { throw .unavailable }
    servers.change { $0 = EntryStream() }
  }

  public func close() { isClosed.withLock { $0 = true } }

  private var isReachable: Bool { !isClosed.withLock(\.self) && !servers.isPartitioned(node) }

  private func wait(_ delay: Duration) { _ = scheduler.makeSignal().wait(for: delay) }
}
