/// The output that a connection has to send, and the step that does so.
struct ConnectionOutput {
  var unsent = UnsentBytes()
  var postponed = PostponedStep.nothing
}
