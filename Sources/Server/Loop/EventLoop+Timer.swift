internal import GatehouseHTTP

extension EventLoop {
  /// Does what is due from time to time.
  func tick() {
    if let lag = events.timer.tick(at: now.nanoseconds) { reporter?.recordLag(nanoseconds: Int(lag)) }
    reporter?.flush()
    for acceptor in connections.acceptors { acceptor.resume(on: self) }
    handler.tick()
    // Backwards, since closing one moves the last into its place.
    for index in connections.open.indices.reversed() where index < connections.open.count {
      let connection = connections.open[index]
      if let deadline = connection.deadline, deadline <= now { connection.expire() }
    }
  }
}
