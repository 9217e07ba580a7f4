internal import CGatehouseLinux
internal import GatehouseHTTP
internal import Glibc

/// Takes connections from one listening socket to one loop.
final class Acceptor {
  let socket: ListeningSocket
  /// How TLS sessions are made; nil for plain connections.
  private let contexts: TLSContextHolder?
  /// Whether descriptors ran out, and the socket is left alone until the next tick.
  private var isPaused = false
  /// Connections taken before those that are open have their turn.
  private static let batch = 64

  init(_ socket: ListeningSocket, contexts: TLSContextHolder?) {
    self.socket = socket
    self.contexts = contexts
  }

  func accept(on loop: EventLoop) {
    for _ in 0..<Self.batch {
      var storage = sockaddr_storage()
      let descriptor = accept(&storage)
      if descriptor < 0 {
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { pause(on: loop) }
        return
      }
      admit(descriptor, SocketAddress(storage)?.peer ?? .local, to: loop)
    }
  }

  private func accept(_ storage: inout sockaddr_storage) -> Int32 {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { address in
        accept4(
          socket.descriptor, address.baseAddress, &length,
          Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
    }
  }

  private func admit(_ descriptor: Int32, _ peer: PeerAddress, to loop: EventLoop) {
    guard loop.connections.admission.enter(peer) else {
      loop.reporter?.refuseConnection()
      close(descriptor)
      return
    }
    // Responses leave in one write; waiting for more would only delay them.
    if peer != .local { ListeningSocket.turnOn(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: descriptor) }
    guard let contexts else { return loop.add(descriptor, peer: peer, session: nil) }
    // Without one, what is meant to be encrypted would be answered in plain text.
    guard let session = contexts.context.makeSession() else {
      loop.connections.admission.leave(peer)
      close(descriptor)
      return
    }
    loop.add(descriptor, peer: peer, session: session)
  }

  /// A socket that can't be emptied would be reported for ever.
  private func pause(on loop: EventLoop) {
    isPaused = true
    loop.pause(self)
  }

  /// Tries again.
  func resume(on loop: EventLoop) {
    guard isPaused else { return }
    isPaused = false
    loop.unpause(self)
  }
}
