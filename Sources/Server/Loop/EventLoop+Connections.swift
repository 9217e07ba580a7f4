internal import GatehouseHTTP
internal import GatehousePolling

extension EventLoop {
  func add(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?) {
    checkQueue()
    let connection = SocketConnection(descriptor, peer: peer, session: session, loop: self)
    do {
      try poller.add(
        descriptor, [.input, .output, .peerClosed, .edgeTriggered],
        tag: UInt64(UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque())))
    } catch {
      return connection.close()
    }
    reporter?.addConnection()
    connections.append(connection)
  }

  /// Ends the events of a descriptor that is about to be closed.
  ///
  /// Closing alone is not enough: a process that is being started has the descriptor too until it becomes another
  /// program, and as long as anybody has it, epoll names the connection that is gone (epoll(7), questions and
  /// answers, 6).
  func unwatch(_ descriptor: Int32) {
    poller.remove(descriptor)
  }

  /// Lets go of a connection that has been closed.
  func remove(_ connection: SocketConnection) {
    connections.admission.leave(connection.peer)
    guard connections.remove(connection) else { return }
    reporter?.removeConnection()
    if connections.open.isEmpty { becomeIdle() }
  }
}
