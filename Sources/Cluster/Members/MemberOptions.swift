public import GatehouseScheduling
internal import GatehouseTelemetry

/// The settings of a node of a cluster.
public struct MemberOptions: Sendable {
  public let node: NodeName
  /// Text of letters and digits that no other run of this node has.
  public let run: String
  public var times = MemberTimes()
  /// Whether one server will do, which may acknowledge what it has not synced: for programmers.
  public var allowsSingleServer = false
  public var scheduler: any Scheduler = DispatchScheduler()
  /// The monotonic clock, in nanoseconds.
  public var clock: @Sendable () -> UInt64 = { MonotonicClock.now() }
  /// Called once, when the node takes no part any more.
  public var didStop: @Sendable (StopReason) -> Void = { _ in }

  /// Called with the bytes of each entry that is in the log, when the node has written or read it.
  public var didMove: @Sendable (Int) -> Void = { _ in }

  public init(node: NodeName, run: String) {
    (self.node, self.run) = (node, run)
  }

  /// The log's name where a process is a node of several: another node is the first to ask in each.
  public var log = ""
  /// Whether a node with an empty store may begin the log at once: nobody can have had any other.
  public var beginsAtOnce = false

  func makeState() -> MemberState {
    var state = MemberState(node: node, times: times, run: run, stagger: stagger)
    state.beginsAtOnce = beginsAtOnce
    return state
  }

  /// Up to a tenth of the lease, by the names: nodes that lose their leader together rarely ask at the same time.
  private var stagger: Duration {
    // FNV-1a
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in Array(node.text.utf8) + Array(log.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return .nanoseconds(times.lease.nanoseconds / 10 / 256 * (hash >> 56))
  }
}
