/// How far an event loop has come in its life.
enum LoopLife {
  case running
  /// No connection is taken any more; `done` is called when the last one has ended.
  case draining(done: () -> Void)
  /// Whatever was open has been closed; nothing happens any more.
  case stopped

  var isStopped: Bool {
    if case .stopped = self { true } else { false }
  }

  /// Returns what is to be called when no connection is open, which is once only.
  mutating func takeDone() -> (() -> Void)? {
    guard case .draining(let done) = self else { return nil }
    self = .draining {}
    return done
  }
}
