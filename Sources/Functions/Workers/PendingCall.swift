internal import GatehouseSharing
internal import GatehouseTelemetry

/// A call that waits for a worker, or for what a worker answers.
///
/// @unchecked Sendable: Because only its pool touches it, under the pool's lock, once it was submitted.
final class PendingCall: @unchecked Sendable {
  /// The next event of a call for its caller.
  enum Outcome: Sendable {
    case answer([UInt8], errors: [UInt8])
    case question([UInt8])
    case failure(FunctionError, errors: [UInt8])
  }

  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let id: CallID
  let bytes: [UInt8]
  /// Nanoseconds that it may take; nil: any number.
  let timeLimit: UInt64?
  /// The caller whose share of the workers and of the queue it takes.
  let caller: Caller
  /// When it was submitted.
  let start: UInt64
  /// When it became the first of its worker's calls.
  var begun: UInt64 = 0
  /// When it is over.
  var deadline = UInt64.max
  var worker: Worker?
  /// Whether whoever made it has left.
  var isAbandoned = false
  /// The caller, while it waits.
  var continuation: Continuation?
  /// The event that came while nobody waited, since a question was being answered.
  var outcome: Outcome?

  /// `timeLimit` in seconds.
  init(_ id: CallID, _ payload: [UInt8], caller: Caller = .process, timeLimit: Int?, as framing: Framing) {
    self.id = id
    self.caller = caller
    bytes = Frame(kind: .call, call: id, payload: payload).bytes(as: framing)
    precondition(
      0...1_000_000_000 ~= timeLimit ?? 0, "a call may take no longer than can be reckoned with")
    self.timeLimit = timeLimit.map { UInt64($0) * 1_000_000_000 }
    start = MonotonicClock.now()
  }
}
