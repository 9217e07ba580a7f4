internal import HTTP

extension EventLoop {
  func add(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?) {
    let connection = SocketConnection(descriptor, peer: peer, session: session, loop: self)
    do {
      try poller.add(
        descriptor, [.input, .output, .peerClosed, .edgeTriggered],
        tag: UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque()))
    } catch {
      return connection.close()
    }
    reporter?.addConnection()
    connection.index = connections.count
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

  func remove(_ connection: SocketConnection) {
    closed.append(connection)
    admission.leave(connection.peer)
    guard let index = connection.index else { return }
    connections.swapAt(index, connections.count - 1)
    connections[index].index = index
    connections.removeLast()
    reporter?.removeConnection()
    connection.index = nil
    if connections.isEmpty { becomeIdle() }
  }

  func becomeIdle() {
    reporter?.flush()
    if isDraining {
      drained?()
      drained = nil
    }
  }
}
