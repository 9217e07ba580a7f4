internal import GatehouseScheduling
internal import Synchronization

/// The servers of a log in memory, which all nodes of a test share.
public final class MemoryServers: Sendable {
  fileprivate struct LateAppend {
    let entry: [UInt8]
    let expected: UInt64
    let identity: String
  }

  fileprivate struct State {
    var stream = EntryStream()
    /// Appends that are still on their way to the servers.
    var late: [LateAppend] = []
    var partitioned: Set<String> = []
    var waiting: [any Signal] = []
    var health = LogHealth(hasLeader: true, replicas: 3, currentReplicas: 3, defects: [])
  }

  private let state = Mutex(State())

  public init() {}

  /// The entries that are there.
  public var stream: EntryStream { state.withLock(\.stream) }

  /// Changes the entries, behind the servers' back.
  public func change(_ change: (inout EntryStream) -> Void) { state.withLock { change(&$0.stream) } }

  /// Has the servers say this of themselves.
  public func report(_ health: LogHealth) { state.withLock { $0.health = health } }

  /// Keeps a node from reaching the servers, or lets it do so again.
  public func setPartitioned(_ node: String, _ isPartitioned: Bool) {
    state.withLock { state in
      if isPartitioned { state.partitioned.insert(node) } else { state.partitioned.remove(node) }
    }
  }

  func isPartitioned(_ node: String) -> Bool { state.withLock { $0.partitioned.contains(node) } }

  var health: LogHealth { state.withLock(\.health) }

  func append(_ entry: [UInt8], expecting expected: UInt64, identity: String) -> AppendOutcome {
    let (outcome, waiting) = state.withLock { state in
      let outcome = state.stream.append(entry, expecting: expected, identity: identity)
      state.takeLate()
      return (outcome, state.takeWaiting())
    }
    for signal in waiting { signal.signal() }
    return outcome
  }

  /// Lets an append arrive behind the next one of anybody.
  func appendLate(_ entry: [UInt8], expecting expected: UInt64, identity: String) {
    state.withLock { $0.late.append(LateAppend(entry: entry, expected: expected, identity: identity)) }
  }

  func page(after position: UInt64, missing: UInt64) -> LogPage {
    state.withLock { state in
      state.takeLate()
      return state.stream.page(after: position, missing: missing)
    }
  }

  /// Has the signal raised with the next append.
  func notify(_ signal: any Signal) { state.withLock { $0.waiting.append(signal) } }
}

extension MemoryServers.State {
  fileprivate mutating func takeLate() {
    for append in late {
      _ = stream.append(append.entry, expecting: append.expected, identity: append.identity)
    }
    late = []
  }

  fileprivate mutating func takeWaiting() -> [any Signal] {
    defer { waiting = [] }
    return waiting
  }
}
