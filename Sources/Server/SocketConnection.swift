internal import CLinux
internal import Glibc
internal import HTTP

/// Owns the descriptor of one connection and obeys its ``HTTP/Connection``.
///
/// @unchecked Sendable: Because it is touched on its loop's queue only.
final class SocketConnection: PushSink, @unchecked Sendable {
  let peer: PeerAddress
  /// Its place among the loop's connections.
  var index: Int?
  let loop: EventLoop

  private let descriptor: Int32
  /// What stands between the socket and the protocol; nil for plain connections.
  private let session: TLSSession?
  private(set) var state: Connection
  private var isClosed = false
  /// Whether the socket may hold bytes: it tells only once.
  private var isReadable = false
  /// Whether the client has closed its side, though not all of its bytes may have been read.
  private var hasHungUp = false
  private var hasShutDown = false
  /// Whether ``advance()`` is at work further up the stack.
  private var isAdvancing = false
  /// Requests that may still be taken in this turn.
  private var turnRequests = 0
  private static let readsPerTurn = 16

  /// Bytes that came together with a request and wait for its answer.
  private var unread: [UInt8] = []
  private var unreadStart = 0
  /// Whether handling of what has come stopped early: there may be more to do even if no byte is left, such as
  /// to tell that the content is complete.
  private var hasStoppedEarly = false
  /// Output that the socket has not taken, from `unsentStart` on.
  private var unsent: [UInt8] = []
  private var unsentStart = 0
  private var isCatchUpScheduled = false
  /// Whether there may be input to handle at the next ``catchUp()``.
  private var mustAdvance = false

  private var task: Task<Void, Never>?
  /// What will be reported of the request being answered, if anything is.
  private var exchange: Reporter.Exchange?
  private var requestStream: RequestStream?
  private var responseStream: ResponseStream?
  private var pushSource: (any PushSource)?

  init(_ descriptor: Int32, peer: PeerAddress, session: TLSSession?, loop: EventLoop) {
    self.descriptor = descriptor
    self.peer = peer
    self.session = session
    self.loop = loop
    state = Connection(limits: loop.limits, awaitsHandshake: session != nil, now: loop.now)
  }

  var deadline: MonotonicTime? { state.deadline }

  private var limits: Limits { loop.limits.limits }
  private var unsentCount: Int { unsent.count - unsentStart }

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
    advance()
  }

  func expire() {
    switch state.expire(now: loop.now) {
    case .nothing: break
    case .close: close()
    case .refuse(let error): refuse(error)
    case .contentFailure: requestStream?.fail(.incomplete)
    }
  }

  func drain() {
    if state.drain() { close() }
  }

  // Input

  /// Reads and answers as long as there is something to do without waiting.
  func advance() {
    if isAdvancing || isClosed { return }
    isAdvancing = true
    turnRequests = limits.pipelinedRequests
    var reads = Self.readsPerTurn
    while !isClosed, state.wantsBytes, !isFull, requestStream?.isFull != true {
      if turnRequests <= 0 || reads == 0 {
        // Others have their turn first.
        mustAdvance = true
        catchUpLater()
        break
      }
      if hasStoppedEarly || unreadStart < unread.count {
        processUnread()
      } else if isReadable {
        reads -= 1
        receive()
      } else {
        break
      }
    }
    isAdvancing = false
    flush()
  }

  private func processUnread() {
    let bytes = unread
    bytes.withUnsafeBytes { process($0, at: &unreadStart) }
    if unreadStart == unread.count {
      unread = []
      unreadStart = 0
    }
  }

  private func receive() {
    let count = read(descriptor, loop.input.baseAddress, loop.input.count)
    guard count > 0 else { return receiveNothing(count) }
    // A short read has emptied the socket; what comes later is told anew. The end is told only once.
    if count < loop.input.count, !hasHungUp { isReadable = false }
    let bytes = UnsafeRawBufferPointer(rebasing: loop.input[..<count])
    if let session { decrypt(bytes, session) } else { take(bytes) }
  }

  /// Handles bytes that have come, and keeps those whose turn is later.
  private func take(_ bytes: UnsafeRawBufferPointer) {
    if hasStoppedEarly || unreadStart < unread.count {
      unread.append(contentsOf: bytes)
      return
    }
    var position = 0
    process(bytes, at: &position)
    if position < bytes.count, !isClosed {
      unread = Array(bytes[position...])
      unreadStart = 0
    }
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) {
    session.receive(bytes)
    let wasEstablished = session.isEstablished
    while !isClosed {
      switch session.read(into: loop.plain) {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: loop.plain[..<count]))
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

  private func receiveNothing(_ result: Int) {
    if result < 0, errno == EINTR { return }
    isReadable = false
    if result < 0 {
      if errno != EAGAIN { close() }
      return
    }
    hasHungUp = true
    receiveEnd()
  }

  private func receiveEnd() {
    if case .contentFailure(let error) = state.receiveEnd() { requestStream?.fail(error) }
  }

  private func process(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
    hasStoppedEarly = true
    while !isClosed {
      switch state.next(in: bytes, at: &position, now: loop.now) {
      case .read, .hold:
        hasStoppedEarly = false
        return
      case .respond(let head, let content):
        respond(head, content)
        turnRequests -= 1
        if turnRequests == 0 { return }
      case .content(let range):
        exchange?.received += range.count
        requestStream?.append(Array(bytes[range]))
        if requestStream?.isFull == true {
          state.pauseContent()
          return
        }
      case .contentEnd: requestStream?.finish()
      case .contentFailure(let error): requestStream?.fail(error)
      case .refuse(let error): refuse(error)
      }
      if loop.writer.output.count > limits.bufferedOutput { flush() }
      if isFull { return }
    }
  }

  // Requests

  private func respond(_ head: RequestHead, _ content: Connection.Content) {
    let request = request(head, content)
    if loop.reporter != nil || loop.configuration.tellsTiming {
      exchange = Reporter.Exchange(method: request.method, id: request.id, start: Clock.now())
      exchange?.received = request.body.size
    }
    let task = Task.immediate(executorPreference: loop) { [self, handler = loop.handler] in
      let response = request.isAboutServer ? .serverOptions : await handler.respond(to: request)
      await send(response, id: request.id)
    }
    // Often it is done by now.
    if state.isAnswering, pushSource == nil, !isClosed { self.task = task }
  }

  private func request(_ head: RequestHead, _ content: Connection.Content) -> Request {
    var request = Request(method: head.method, target: head.target, fields: head.fields)
    request.version = head.version
    request.peer = peer
    request.loopIndex = loop.index
    request.isSecure = session != nil
    let given = head.hasID ? head.fields["x-request-id"].flatMap(RequestID.init(given:)) : nil
    request.id = given ?? loop.requestIDs.next()
    switch content {
    case .none: break
    case .whole(let bytes): request.body = .bytes(bytes)
    case .first(let bytes):
      let stream = RequestStream(self, first: bytes)
      requestStream = stream
      request.body = .stream(stream)
    }
    return request
  }

  private func refuse(_ error: RequestError) {
    loop.claimWriter(for: self)
    let id = loop.requestIDs.next()
    loop.reporter?.refuse(error, id: id)
    state.refuse(error, id: id, into: &loop.writer, now: loop.now)
    if !isAdvancing { flush() }
  }

  /// Asks for content that the client holds back, and reads on if reading had stopped.
  func resumeContent() {
    if isClosed { return }
    loop.claimWriter(for: self)
    state.continue(into: &loop.writer, now: loop.now)
    if requestStream?.isFull == false { state.resumeContent(now: loop.now) }
    mustAdvance = true
    catchUpLater()
  }

  // Responses

  private func send(_ response: Response, id: RequestID) async {
    if isClosed { return }
    loop.claimWriter(for: self)
    var response = response
    note(&response)
    switch state.respond(response, id: id, into: &loop.writer, now: loop.now) {
    case .nothing: finishResponse()
    case .stream:
      switch response.body {
      case .stream(let produce): await stream(produce)
      case .pushed(let source): open(source)
      case .empty, .bytes: break
      }
    }
  }

  private func stream(_ produce: @Sendable (any BodyWriter) async throws -> Void) async {
    let stream = ResponseStream(self)
    responseStream = stream
    catchUpLater()
    do {
      try await produce(stream)
    } catch {
      // Without the last chunk the client knows that the response is not whole.
      return close()
    }
    if isClosed { return }
    responseStream = nil
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  /// Remembers what will be reported of the response.
  private func note(_ response: inout Response) {
    guard let start = exchange?.start else { return }
    exchange?.status = response.status
    exchange?.route = response.route
    if case .bytes(let bytes) = response.body { exchange?.sent = bytes.count }
    guard loop.configuration.tellsTiming else { return }
    let microseconds = (Clock.now().nanoseconds - start.nanoseconds) / 1_000
    response.fields.append("server-timing", "app;dur=\(Double(microseconds) / 1_000)")
  }

  private func report() {
    guard let exchange else { return }
    loop.reporter?.finish(exchange, now: Clock.now())
    self.exchange = nil
  }

  private func finishResponse() {
    report()
    task = nil
    requestStream?.fail(.incomplete)
    requestStream = nil
    advance()
  }

  /// Takes a piece of the response; false when the client is gone.
  func write(_ bytes: [UInt8]) -> Bool {
    if isClosed { return false }
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    keepOutput()
    catchUpLater()
    return true
  }

  /// Whether a producer must wait.
  var isFull: Bool { unsentCount > limits.bufferedOutput }

  // Responses that are pushed

  /// Keeps the response open; what answered the request is done.
  private func open(_ source: any PushSource) {
    task = nil
    pushSource = source
    flush()
    if !isClosed { source.start(self) }
  }

  var isBusy: Bool { unsentCount > 0 }

  func push(_ bytes: [UInt8]) {
    if isClosed { return }
    loop.claimWriter(for: self)
    exchange?.sent += bytes.count
    state.write(bytes, into: &loop.writer)
    flush()
  }

  func finish() {
    if isClosed || pushSource == nil { return }
    pushSource = nil
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  func abort() { close() }

  // Output

  /// Takes this connection's output out of the loop's writer.
  private func keepOutput() {
    if let session {
      guard session.write(loop.writer.output.bytes) else { return close() }
      session.drain(into: &loop.encrypted.output)
      unsent.append(contentsOf: loop.encrypted.output.bytes)
      loop.encrypted.output.removeAll()
    } else {
      unsent.append(contentsOf: loop.writer.output.bytes)
    }
    loop.releaseWriter()
  }

  private func catchUpLater() {
    if isCatchUpScheduled { return }
    isCatchUpScheduled = true
    loop.catchUpLater(self)
  }

  /// Does what had to wait until everything that was ready had been handled.
  func catchUp() {
    isCatchUpScheduled = false
    if mustAdvance {
      mustAdvance = false
      advance()
    } else {
      flush()
    }
  }

  /// Sends what there is, in one write if the socket takes it.
  func flush() {
    if isClosed { return }
    if unsentCount > 0 || session != nil {
      loop.claimWriter(for: self)
      keepOutput()
      if unsentCount > 0 { flushUnsent() }
    } else if loop.isWriting(self) {
      flushWriter()
    }
    if !isClosed, unsentCount == 0, state.isFinished { closeOnceRead() }
  }

  private func flushWriter() {
    let bytes = loop.writer.output.bytes
    if bytes.isEmpty { return }
    let count = send(bytes)
    if count < 0 { return }
    if count < bytes.count {
      unsent = Array(bytes[count...])
      state.wrotePart(count, now: loop.now)
    }
    loop.releaseWriter()
  }

  private func flushUnsent() {
    let count = unsent.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[unsentStart...])) }
    if count < 0 { return }
    unsentStart += count
    if unsentCount > 0 { return state.wrotePart(count, now: loop.now) }
    unsent = []
    unsentStart = 0
    state.wroteAll()
    responseStream?.resume()
    pushSource?.resume()
    // Requests may have waited for room.
    advance()
  }

  /// How much the socket has taken; -1 when the connection is gone.
  private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      default:
        close()
        return -1
      }
    }
  }

  // The end

  /// Closes, once the client has had the chance to read the last response.
  private func closeOnceRead() {
    guard state.lingers || unreadStart < unread.count, !hasHungUp else { return close() }
    if hasShutDown { return }
    hasShutDown = true
    unread = []
    unreadStart = 0
    sayGoodbye()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Tells a TLS client that the end is no accident; what the socket does not take at once is not worth waiting.
  private func sayGoodbye() {
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
    task?.cancel()
    requestStream?.fail(.incomplete)
    responseStream?.fail()
    pushSource?.end()
    task = nil
    requestStream = nil
    responseStream = nil
    pushSource = nil
    loop.remove(self)
  }
}
