public import GatehouseBSON

/// The state of a trigger, for operators.
public struct TriggerStatus: Hashable, Sendable {
  /// The states in which a trigger can be.
  public enum State: String, Hashable, Sendable {
    /// It is called when there is something to be called for.
    case running
    /// A call has failed, and is made again.
    case retrying
    /// It waits for somebody to resume it.
    case suspended
    case disabled
  }

  public let trigger: Trigger
  public var state = State.running
  /// The change that it has been called for last, as ids of event streams have it; nil: none, or it goes by time.
  public var position: String?
  /// Commits of the store behind that position.
  public var lag: Int64?
  /// When it is called next, where it goes by time.
  public var next: Date?
  /// Calls since the start of the process, and those that failed.
  public var calls = 0
  public var failures = 0
  /// Logins that it was not called for, as too many waited.
  public var lost = 0
  /// Failures of the call that is made again.
  public var attempts = 0
  /// The last failure, or why it is suspended.
  public var error: String?

  init(_ trigger: Trigger) {
    self.trigger = trigger
  }
}
