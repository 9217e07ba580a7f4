internal import Dispatch
internal import GatehouseHTTP
internal import GatehousePolling

extension EventLoop {
  /// Starts to accept. Called once, before anything else happens on the loop.
  func start(_ acceptors: [Acceptor]) throws(ServerError) {
    connections.acceptors = acceptors
    handler.start(on: self)
    for (tag, acceptor) in acceptors.enumerated() { try watch(acceptor, tag: tag) }
    queue.dispatch.async { self.turn() }
  }

  private func watch(_ acceptor: Acceptor, tag: Int) throws(ServerError) {
    let readiness: Readiness = acceptor.socket.isShared ? [.input, .exclusive] : [.input]
    do throws(PollingError) {
      try poller.add(acceptor.socket.descriptor, readiness, tag: UInt64(tag))
    } catch {
      throw ServerError(error)
    }
  }

  func pause(_ acceptor: Acceptor) {
    poller.remove(acceptor.socket.descriptor)
  }

  func unpause(_ acceptor: Acceptor) {
    guard let tag = connections.acceptors.firstIndex(where: { $0 === acceptor }) else { return }
    try? watch(acceptor, tag: tag)
  }
}
