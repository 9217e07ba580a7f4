internal import GatehouseHTTP

extension SocketConnection {
  /// Has the request answered by a worker.
  func respond(_ head: RequestHead, _ content: Connection.Content) {
    let request = makeRequest(head, content)
    if loop.reporter != nil {
      exchange = Reporter.Exchange(method: request.method, id: request.id, start: loop.now)
      exchange?.received = request.body.size
    }
    answering = .waiting
    loop.answerLater(consume request, of: self)
  }

  func answer(_ next: consuming WaitingRequest, by worker: Worker) async {
    answering = .working(worker)
    if input.isGone { worker.cancel() }
    let id = next.request.id
    let began = loop.configuration.tellsTiming ? Clock.now() : nil
    var response =
      next.request.isAboutServer ? .serverOptions : await loop.handler.respond(to: next.request)
    // The next head is read into its memory, perhaps before this one's connection is done here.
    _ = consume next
    if let began { tellTiming(in: &response, since: began) }
    note(response)
    if let produce = send(response, id: id) { await stream(produce, by: worker) }
  }

  func makeRequest(_ head: RequestHead, _ content: Connection.Content) -> Request {
    let given = head.hasID ? head.fields["x-request-id"].flatMap(RequestID.init(given:)) : nil
    return Request(
      head, body: body(content), id: given ?? loop.requestIDs.next(), peer: peer, isSecure: session != nil,
      loopIndex: loop.index)
  }

  private func body(_ content: Connection.Content) -> RequestBody {
    switch content {
    case .none: return .empty
    case .whole(let bytes): return .bytes(bytes)
    case .first(let bytes):
      let stream = RequestStream(self, first: bytes)
      requestStream = stream
      return .stream(stream)
    }
  }

  /// Answers a request that broke a rule; `bytes` is what came of it last.
  func refuse(_ error: RequestError, in bytes: UnsafeRawBufferPointer) {
    loop.claimWriter(for: self)
    let id = loop.requestIDs.next()
    loop.reporter?.refuse(error, id: id)
    let fields = loop.configuration.cors?.errorFields(for: bytes) ?? Fields()
    state.refuse(error, id: id, fields: fields, into: &loop.writer, now: loop.now)
    if !turn.isRunning { flush() }
  }

  /// Asks for content that the client holds back, and reads on if reading had stopped.
  func resumeContent() {
    if isClosed { return }
    loop.claimWriter(for: self)
    state.continue(into: &loop.writer, now: loop.now)
    if requestStream?.isFull == false { state.resumeContent(now: loop.now) }
    postpone(.advance)
  }

  /// Sends the response to the request; returns what makes its content if that is streamed.
  func send(_ response: Response, id: RequestID) -> (@Sendable (any BodyWriter) async throws -> Void)? {
    if isClosed { return nil }
    loop.claimWriter(for: self)
    switch state.respond(response, id: id, into: &loop.writer, now: loop.now) {
    case .nothing: finishResponse()
    case .stream:
      switch response.body {
      case .stream(let produce): return produce
      case .pushed(let source): open(source)
      case .empty, .bytes: break
      }
    }
    return nil
  }

  /// Has a worker's handler write the content of the response, to its end.
  func stream(_ produce: @Sendable (any BodyWriter) async throws -> Void, by worker: Worker) async {
    let stream = ResponseStream(self)
    answering = .streaming(worker, stream)
    postpone(.flush)
    do {
      try await produce(stream)
    } catch {
      // Without the last chunk the client knows that the response is not whole.
      return close()
    }
    if isClosed { return }
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.writer, now: loop.now)
    finishResponse()
  }

  /// Tells how long the handler took.
  func tellTiming(in response: inout Response, since began: MonotonicTime) {
    let microseconds = (Clock.now().nanoseconds - began.nanoseconds) / 1_000
    response.fields.append("server-timing", "app;dur=\(Double(microseconds) / 1_000)")
  }

  /// Remembers what will be reported of the response, if anything is.
  func note(_ response: Response) {
    exchange?.status = response.status
    exchange?.route = response.route
    if case .bytes(let bytes) = response.body { exchange?.sent = bytes.count }
  }

  func report() {
    guard let exchange = exchange.take() else { return }
    let now = Clock.now()
    loop.reporter?.finish(exchange, now: now, calendarTime: loop.calendarTime(at: now))
  }

  func finishResponse() {
    report()
    answering = .none
    requestStream?.fail(.incomplete)
    requestStream = nil
    if loop.writer.output.count > limits.bufferedOutput { flush() }
    advance()
  }
}
