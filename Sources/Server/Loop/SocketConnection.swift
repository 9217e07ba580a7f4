internal import CGatehouseLinux
internal import GatehouseHTTP
internal import Glibc

/// Owns the descriptor of one connection and obeys its ``HTTP/Connection``.
///
/// @unchecked Sendable: Because it is touched on its loop's queue only.
final class SocketConnection: @unchecked Sendable {
  let loop: EventLoop
  let descriptor: Int32
  var life = SocketLife.open
  var input = SocketInput.drained
  var turn = InputTurn()
  var postponed = PostponedStep.nothing

  /// The layer between the socket and the protocol; nil for plain connections.
  let session: TLSSession?
  var unread = UnreadBytes()
  var unsent = UnsentBytes()

  /// The content of the request being answered, where it was not whole when its handler was called.
  var requestStream: RequestStream?
  var answering = AnswerState.none
  /// The protocol, which decides what is done.
  var state: Connection

  // Not looked at for each request.
  let peer: PeerAddress
  /// Where it is among the loop's connections; nil: not there.
  var index: Int?
  /// The report of the request being answered; nil where nothing is reported.
  var exchange: Reporter.Exchange?

  init(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?, loop: EventLoop) {
    self.descriptor = descriptor
    self.peer = peer
    self.session = session
    self.loop = loop
    state = Connection(limits: loop.limits, awaitsHandshake: session != nil, now: loop.now)
  }

  var deadline: MonotonicTime? { state.deadline }

  var limits: Limits { loop.limits.limits }
  var isClosed: Bool { life == .closed }

  // Events

  func handle(_ readiness: Readiness) {
    if isClosed { return }
    if readiness.contains(.error) { return close() }
    if readiness.contains(.output), !unsent.isEmpty { flush() }
    input.note(readiness)
    // Half-closing clients exist, but none that would read an endless response.
    if readiness.tellsHangUp, answering.isOpen { return close() }
    takeTurn()
    // A client that has gone does not wait for a long query either; short ones do not look at this.
    if input.hasHungUp, state.isAnswering { answering.cancel() }
  }

  func expire() {
    switch state.expire(now: loop.now) {
    case .nothing: break
    case .close: close()
    case .refuse(let error): refuse(error, in: UnsafeRawBufferPointer(start: nil, count: 0))
    case .contentFailure: requestStream?.fail(.incomplete)
    }
  }

  func drain() {
    if state.drain() { close() }
  }

  // The end

  /// Closes, once the client has had the chance to read the last response.
  func finish() {
    guard state.lingers || unread.hasBytes, !input.hasHungUp else { return close() }
    if life == .shutDown { return }
    life = .shutDown
    unread.removeAll()
    sayGoodbye()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Tells a TLS client that the end is no accident; what the socket does not take at once is not worth waiting.
  func sayGoodbye() {
    guard let session, unsent.isEmpty else { return }
    session.finish()
    session.drain(into: &loop.tls.encrypted)
    let bytes = loop.tls.encrypted.bytes
    if bytes.isEmpty { return }
    _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    loop.tls.encrypted.removeAll()
  }

  func close() {
    if isClosed { return }
    if life == .open { sayGoodbye() }
    life = .closed
    if loop.isWriting(self) { loop.releaseWriter() }
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
    report()
    if state.isAnswering { answering.cancel() }
    requestStream?.fail(.incomplete)
    requestStream = nil
    let ended = answering
    answering = .none
    ended.end()
    loop.remove(self)
  }
}
