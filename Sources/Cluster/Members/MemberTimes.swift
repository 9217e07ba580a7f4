/// The durations by which nodes decide who leads, on the monotonic clock.
public struct MemberTimes: Hashable, Sendable {
  /// How long a leader may take its last acknowledged append for a proof that nobody else leads.
  public var lease: Duration = .milliseconds(2_500)
  /// How long a leader is silent at most.
  public var renewal: Duration = .milliseconds(400)
  /// How long an append is tried before its outcome is in doubt.
  public var appendLimit: Duration = .seconds(4)
  /// How long a follower reads on without news.
  public var freshness: Duration = .seconds(5)
  /// How long every answer must have said that the log ends before a node's last entry until that is believed: longer than servers
  /// that others have replaced go on answering.
  public var certainty: Duration = .seconds(15)
  /// How long a follower waits after an attempt to lead that failed, or after a log that did not answer.
  public var retry: Duration = .milliseconds(200)

  public init() {}

  /// How long a follower hears nothing before it attempts to lead. A quarter more than the lease: the clocks of two machines may
  /// run at rates that differ by that much.
  var silence: UInt64 { lease.nanoseconds / 4 * 5 }
}
