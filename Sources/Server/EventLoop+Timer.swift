internal import HTTP

extension EventLoop {
  private func recordLag() {
    guard let reporter else { return }
    let due = expected
    expected = now.nanoseconds + interval
    if due > 0 { reporter.recordLag(nanoseconds: Int(max(now.nanoseconds, due) - due)) }
  }

  func startTimer() {
    if hasTimer || hasStopped { return }
    hasTimer = true
    expected = 0
    poller.setTimer(nanoseconds: interval)
  }

  func stopTimer() {
    hasTimer = false
    poller.setTimer(nanoseconds: 0)
  }

  /// Does what is due from time to time.
  func tick() {
    isQuiet = !wasActive
    wasActive = false
    recordLag()
    reporter?.flush()
    for acceptor in acceptors { acceptor.resume(on: self) }
    handler.tick()
    // Backwards, since closing one moves the last into its place.
    for index in connections.indices.reversed() where index < connections.count {
      if let deadline = connections[index].deadline, deadline <= now { connections[index].expire() }
    }
  }
}
