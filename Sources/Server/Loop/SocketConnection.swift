internal import CGatehouseLinux
internal import GatehouseHTTP
internal import GatehousePolling
internal import Glibc

/// Owns the descriptor of one connection and obeys its ``GatehouseHTTP/Connection``.
///
/// @unchecked Sendable: Because it is touched on its loop's queue only.
final class SocketConnection: @unchecked Sendable {
  let loop: EventLoop
  let descriptor: Int32
  /// The system at the other end, which may be a proxy.
  let peer: PeerAddress
  /// The layer between the socket and the protocol; nil for plain connections.
  let session: TLSSession?

  /// For whom it asks.
  var origin: ConnectionOrigin
  var life = SocketLife.open
  var input = ConnectionInput()
  var output = ConnectionOutput()
  var current = CurrentRequest()
  /// The protocol, which decides what is done.
  var state: Connection
  /// Where it is among the loop's connections; nil: not there.
  var index: Int?

  init(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?, loop: EventLoop) {
    self.descriptor = descriptor
    self.peer = peer
    self.session = session
    self.loop = loop
    origin = ConnectionOrigin(
      peer, proxies: loop.configuration.proxies, takesHeader: loop.configuration.takesProxyHeader)
    state = Connection(limits: loop.limits, awaitsHandshake: session != nil, now: loop.now)
  }

  var deadline: MonotonicTime? { state.deadline }

  var limits: Limits { loop.limits.limits }
  var isClosed: Bool { life == .closed }

  // Events

  func handle(_ readiness: Readiness) {
    if isClosed { return }
    if readiness.contains(.error) { return close() }
    if readiness.contains(.output), !output.unsent.isEmpty { flush() }
    input.socket.note(readiness)
    // Half-closing clients exist, but none that would read an endless response.
    if readiness.tellsHangUp, current.answer.isPushing { return close() }
    takeTurn()
    if readiness.tellsHangUp { noteHangUp() }
  }

  /// Has the answer that a client waits for given up if nobody would read it; as long as that is not known it goes on.
  private func noteHangUp() {
    if input.socket.isGone { current.answer.cancel() } else { state.notePeerFinished(now: loop.now) }
  }

  func expire() {
    switch state.expire(now: loop.now) {
    case .nothing: break
    case .close: close()
    case .probe: probe()
    case .refuse(let error): refuse(error, in: UnsafeRawBufferPointer(start: nil, count: 0))
    case .contentFailure: current.content?.fail(.incomplete)
    }
  }

  /// Finds out whether a client that has closed its side still reads; what becomes of the answer is told by epoll.
  private func probe() {
    // Epoll tells by itself who has left a Unix-domain socket (EPOLLHUP).
    if peer == .local { return }
    loop.claimWriter(for: self)
    state.probe(into: &loop.buffers.writer)
    flush()
  }

  func drain() {
    if state.drain() { close() }
  }

  // Bytes in

  /// Goes on after others have had their turn.
  func takeTurn() {
    input.turn.begin(requests: loop.limits.limits.pipelinedRequests)
    advance()
  }

  /// Reads until there is a request to answer, or nothing left to read.
  func advance() {
    if isClosed || !input.turn.run() { return }
    handleInput()
    input.turn.pause()
    // With a request to answer its answer goes out along, unless that takes longer.
    if !current.answer.isWaiting { flush() } else if loop.isWriting(self) { postpone(.flush) }
  }

  private func handleInput() {
    while !isClosed, state.wantsBytes, !isFull, current.content?.isFull != true {
      switch input.nextStep() {
      case .parse: processUnread()
      case .read: receive()
      case .yield: return postpone(.advance)
      case .stop: return
      }
    }
  }

  private func processUnread() {
    let bytes = input.unread.bytes
    var position = input.unread.start
    bytes.withUnsafeBytes { process($0, at: &position) }
    input.unread.advance(to: position)
  }

  func receive() {
    let count = recv(descriptor, loop.buffers.input.baseAddress, loop.buffers.input.count, 0)
    guard count > 0 else { return receiveNothing(count) }
    // A short read has emptied the socket; what comes later is told anew. The end is told only once.
    if count < loop.buffers.input.count { input.socket.didReadAll() }
    var bytes = UnsafeRawBufferPointer(rebasing: loop.buffers.input[..<count])
    if origin.awaitsHeader {
      guard let end = origin.takeHeader(from: bytes, proxies: loop.configuration.proxies) else {
        return close()
      }
      bytes = UnsafeRawBufferPointer(rebasing: bytes[end...])
      if bytes.isEmpty { return }
    }
    if let session { decrypt(bytes, session) } else { take(bytes) }
  }

  /// Handles bytes that have come, and keeps those whose turn is later.
  func take(_ bytes: UnsafeRawBufferPointer) {
    if input.unread.needsHandling { return input.unread.append(bytes) }
    var position = 0
    process(bytes, at: &position)
    if position < bytes.count, !isClosed { input.unread.keep(bytes[position...]) }
  }

  func decrypt(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) {
    session.receive(bytes)
    let wasEstablished = session.isEstablished
    while !isClosed {
      switch session.read(into: loop.buffers.tls.plain) {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: loop.buffers.tls.plain[..<count]))
      case .end:
        receiveEnd()
        return
      case .failure:
        flush()
        return close()
      case .needsBytes:
        if session.isEstablished, !wasEstablished { state.finishHandshake(now: loop.now) }
        return
      }
    }
  }

  func receiveNothing(_ result: Int) {
    if result < 0, errno == EINTR { return }
    if result < 0 {
      if errno != EAGAIN { return close() }
      return input.socket.didReadNothing()
    }
    input.socket.didReadEnd()
    receiveEnd()
  }

  func receiveEnd() {
    if case .contentFailure(let error) = state.receiveEnd(now: loop.now) { current.content?.fail(error) }
  }

  func process(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
    input.unread.isInterrupted = true
    while !isClosed {
      switch state.next(in: bytes, at: &position, using: &loop.buffers.heads, now: loop.now) {
      case .read, .hold:
        input.unread.isInterrupted = false
        return
      case .respond(let head, let content):
        respond(head, content)
        if !input.turn.takeRequest() { return }
      case .content(let range):
        current.report?.received += range.count
        current.content?.append(Array(bytes[range]))
        if current.content?.isFull == true {
          state.pauseContent()
          return
        }
      case .contentEnd: current.content?.finish()
      case .contentFailure(let error): current.content?.fail(error)
      case .refuse(let error): refuse(error, in: bytes)
      }
    }
  }

  // The end

  /// Closes, once the client has had the chance to read the last response.
  func finish() {
    guard state.lingers || input.unread.hasBytes, !input.socket.hasHungUp else { return close() }
    if life == .shutDown { return }
    precondition(output.unsent.isEmpty, "a connection is shut down when all of the answer has gone")
    life = .shutDown
    input.unread.removeAll()
    sayGoodbye()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Tells a TLS client that the end is no accident; what the socket does not take at once is not worth waiting.
  func sayGoodbye() {
    guard let session, output.unsent.isEmpty else { return }
    session.finish()
    session.drain(into: &loop.buffers.tls.encrypted)
    let bytes = loop.buffers.tls.encrypted.bytes
    if bytes.isEmpty { return }
    _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    loop.buffers.tls.encrypted.removeAll()
  }

  func close() {
    if isClosed { return }
    if life == .open { sayGoodbye() }
    life = .closed
    output.retained = []
    if loop.isWriting(self) { loop.releaseWriter() }
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
    report()
    if state.isAnswering { current.answer.cancel() }
    current.content?.fail(.incomplete)
    current.content = nil
    let ended = current.answer
    current.answer = .none
    ended.end()
    loop.remove(self)
  }
}
