internal import CLinux
internal import Glibc
internal import HTTP

/// Owns the descriptor of one connection and obeys its ``HTTP/Connection``.
///
/// @unchecked Sendable: Because it is touched on its loop's queue only.
final class SocketConnection: @unchecked Sendable {
  let loop: EventLoop
  let descriptor: Int32
  var isClosed = false
  /// Whether the socket may hold bytes: it tells only once.
  var isReadable = false
  /// Whether the client has closed its side, though not all of its bytes may have been read.
  var hasHungUp = false
  var hasShutDown = false
  /// Whether ``advance()`` is at work further up the stack.
  var isAdvancing = false
  /// Whether a request waits for a worker.
  var hasRequest = false
  /// Whether handling of what has come stopped early: there may be more to do even if no byte is left, such as
  /// to tell that the content is complete.
  var hasStoppedEarly = false
  var isCatchUpScheduled = false
  /// Whether there may be input to handle at the next ``catchUp()``.
  var mustAdvance = false
  /// Requests that may still be taken in this turn.
  var turnRequests = 0
  static let readsPerTurn = 16

  /// What stands between the socket and the protocol; nil for plain connections.
  let session: TLSSession?
  /// Bytes that came together with a request and wait for its answer.
  var unread: [UInt8] = []
  var unreadStart = 0
  /// Output that the socket has not taken, from `unsentStart` on.
  var unsent: [UInt8] = []
  var unsentStart = 0

  /// What is at work on a request of this connection.
  var worker: Worker?
  var requestStream: RequestStream?
  var responseStream: ResponseStream?
  /// What pushes the response that is open.
  var pushSource: (any PushSource)?
  var state: Connection

  // Not looked at for each request.
  let peer: PeerAddress
  /// Its place among the loop's connections.
  var index: Int?
  /// What will be reported of the request being answered, if anything is.
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
  var unsentCount: Int { unsent.count - unsentStart }

  // Events

  func handle(_ readiness: Readiness) {
    if isClosed { return }
    if readiness.contains(.error) { return close() }
    if readiness.contains(.output), unsentCount > 0 { flush() }
    if !readiness.isDisjoint(with: [.input, .peerClosed, .hangUp]) { isReadable = true }
    if !readiness.isDisjoint(with: [.peerClosed, .hangUp]) {
      hasHungUp = true
      // Half-closing clients exist, but none that would read an endless response.
      if responseStream != nil || pushSource != nil { return close() }
    }
    takeTurn()
    // Nor any that would wait for a long query; what is not long does not look at this.
    if hasHungUp, state.isAnswering { worker?.cancel() }
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
    guard state.lingers || unreadStart < unread.count, !hasHungUp else { return close() }
    if hasShutDown { return }
    hasShutDown = true
    unread = []
    unreadStart = 0
    sayGoodbye()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Tells a TLS client that the end is no accident; what the socket does not take at once is not worth waiting.
  func sayGoodbye() {
    guard let session, unsentCount == 0 else { return }
    session.finish()
    session.drain(into: &loop.encrypted.output)
    let bytes = loop.encrypted.output.bytes
    if bytes.isEmpty { return }
    _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    loop.encrypted.output.removeAll()
  }

  func close() {
    if isClosed { return }
    isClosed = true
    if !hasShutDown { sayGoodbye() }
    if loop.isWriting(self) { loop.releaseWriter() }
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
    report()
    if state.isAnswering { worker?.cancel() }
    requestStream?.fail(.incomplete)
    responseStream?.fail()
    pushSource?.end()
    worker = nil
    requestStream = nil
    responseStream = nil
    pushSource = nil
    loop.remove(self)
  }
}
