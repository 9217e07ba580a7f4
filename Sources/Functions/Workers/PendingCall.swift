/// A call that waits for a worker, or for what a worker answers.
///
/// @unchecked Sendable: Because only its pool touches it, under the pool's lock, once it was submitted.
final class PendingCall: @unchecked Sendable {
  /// What becomes of a call.
  enum Outcome: Sendable {
    case answer([UInt8], errors: [UInt8])
    case question([UInt8])
    case failure(FunctionError, errors: [UInt8])
  }

  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let bytes: [UInt8]
  /// Nanoseconds that it may take; nil: any number.
  let timeLimit: UInt64?
  /// When it was submitted.
  let start: UInt64
  /// When it is over.
  var deadline = UInt64.max
  var worker: Worker?
  /// Whoever waits for it.
  var continuation: Continuation?
  /// What came while nobody waited, since a question was being answered.
  var outcome: Outcome?

  init(_ bytes: [UInt8], timeLimit: UInt64?) {
    self.bytes = bytes
    self.timeLimit = timeLimit
    start = Clock.now()
  }
}
