/// A node's part in the cluster at one moment, for those who operate it.
public struct MemberStatus: Hashable, Sendable {
  public enum Role: String, Sendable {
    case follower
    case leader
    /// It takes no part until somebody has looked at it.
    case stopped
  }

  public let role: Role
  /// The node that leads; nil: none is known.
  public let leader: String?
  /// The last entry that the node has read or written.
  public let point: LogPoint
  /// Whether reads are answered: the store has all that the log had lately.
  public let isFresh: Bool
  /// Whether a read at this node sees all that were acknowledged before it.
  public let hasLease: Bool
  /// Whether a follower has come to where the log ends, as far as it knows.
  public let isAtEnd: Bool
  /// How long ago the node has heard of the leader, or has led for certain.
  public let silence: Duration
  /// How long the log has not answered this node.
  public let logSilence: Duration
  /// The entries that the log has and the node has not read, as far as it knows.
  public let entriesBehind: UInt64
  public let stopReason: StopReason?

  init(_ state: MemberState, at now: UInt64) {
    stopReason = state.stopReason
    role = stopReason != nil ? .stopped : state.leadingEpoch != nil ? .leader : .follower
    leader = state.leader
    point = state.point
    isAtEnd = state.isAtEnd
    silence = .nanoseconds(state.silence(at: now))
    logSilence = .nanoseconds(state.logSilence(at: now))
    entriesBehind = state.entriesBehind
    isFresh = state.isFresh(at: now)
    hasLease = state.hasLease(at: now)
  }
}

extension MemberState {
  /// The nanoseconds since the node has heard of the leader, or has led for certain.
  func silence(at now: UInt64) -> UInt64 { now - min(now, leaseStart ?? heardAt) }

  /// The nanoseconds for which the log has not answered this node: another one may lead, and it would not know.
  func logSilence(at now: UInt64) -> UInt64 { now - min(now, answeredAt ?? now) }
}

extension AppendOutcome {
  /// Whether the log has answered.
  var isAnswer: Bool {
    switch self {
    case .appended, .refused: true
    case .inDoubt, .unavailable: false
    }
  }
}
