/// The fate of rows that were to go into the log.
public enum CommitOutcome: Hashable, Sendable {
  /// A majority has them. With the last part, the store commits, and keeps the point in the same transaction; where it cannot,
  /// ``ClusterMember/didFailToCommit()``.
  case committed(LogPoint)
  /// The node does not lead: nothing was written.
  case notLeader(leader: String?)
  /// The log does not answer: nothing was written.
  case unavailable
  /// They may be in the log. The store rolls back; what is in the log comes from there.
  case unknown
}
