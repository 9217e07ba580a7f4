/// The input that a connection has to handle, and how much of it before others.
struct ConnectionInput {
  var socket = SocketInput.drained
  var turn = InputTurn()
  var unread = UnreadBytes()

  /// Returns what to do next, which counts.
  mutating func nextStep() -> InputTurn.Step {
    turn.next(hasUnread: unread.needsHandling, mayRead: socket.mayHaveBytes)
  }
}
