/// The output that a connection has to send, and the step that does so.
struct ConnectionOutput {
  var unsent = UnsentBytes()
  /// The objects that the responses retain whose bytes have not all left.
  var retained: [any AnyObject & Sendable] = []
  var postponed = PostponedStep.nothing
}
