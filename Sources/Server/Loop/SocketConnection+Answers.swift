internal import GatehouseHTTP

extension SocketConnection {
  /// Has the request answered by a task.
  func respond(_ head: RequestHead, _ content: Connection.Content) {
    var request = makeRequest(head, content)
    if loop.reporter != nil {
      current.report = Reporter.Exchange(method: request.method, id: request.id, start: loop.now)
      if head.hasTraceParent {
        current.report?.trace = head.fields["traceparent"].flatMap(TraceParent.init)
      }
      current.report?.received = request.body.size
      if let spans = loop.configuration.spans {
        let span = Reporter.span(after: current.report?.trace, spans)
        current.report?.span = span
        current.report?.isSecure = request.isSecure
        request.trace = span
      }
    }
    guard case .none = current.answer else { preconditionFailure("one request is answered at a time") }
    current.answer = .waiting
    loop.answerLater(consume request, of: self)
  }

  func answer(_ next: consuming WaitingRequest, by task: RequestTask) async {
    precondition(isClosed || current.answer.isWaiting, "a request is answered once")
    current.answer = .working(task)
    if input.socket.isGone { task.cancel() }
    let id = next.request.id
    let began = loop.configuration.tellsTiming ? Clock.now() : nil
    var response = await loop.handler.respond(to: next.request)
    // The next head is read into its memory, perhaps before this one's connection is done here.
    _ = consume next
    if let began { tellTiming(in: &response, since: began) }
    note(response)
    if let produce = send(response, id: id) { await stream(produce, by: task) }
  }

  func makeRequest(_ head: RequestHead, _ content: Connection.Content) -> Request {
    let given = head.hasID ? head.fields["x-request-id"].flatMap(RequestID.init(given:)) : nil
    return Request(
      head, body: body(content), id: given ?? loop.work.requestIDs.next(),
      peer: origin.isProxy
        ? loop.configuration.proxies.client(of: head.fields, from: origin.client) : origin.client,
      isSecure: session != nil, loopIndex: loop.index)
  }

  private func body(_ content: Connection.Content) -> RequestBody {
    switch content {
    case .none: return .empty
    case .whole(let bytes): return .bytes(bytes)
    case .first(let bytes):
      let stream = RequestStream(self, first: bytes)
      current.content = stream
      return .stream(stream)
    }
  }

  /// Answers a request that broke a rule; `bytes` is what came of it last.
  func refuse(_ error: RequestError, in bytes: UnsafeRawBufferPointer) {
    loop.claimWriter(for: self)
    let id = loop.work.requestIDs.next()
    loop.reporter?.refuse(error, id: id)
    let fields = loop.configuration.cors?.errorFields(for: bytes) ?? Fields()
    // Nobody knows which of a proxy's clients it was, and the others have done nothing.
    let wait = origin.isProxy ? nil : loop.handler.countRefusal(of: origin.client)
    state.refuse(error, id: id, fields: fields, wait: wait, into: &loop.buffers.writer, now: loop.now)
    if !input.turn.isRunning { flush() }
  }

  /// Asks for content that the client holds back, and reads on if reading had stopped.
  func resumeContent() {
    if isClosed { return }
    loop.claimWriter(for: self)
    state.continue(into: &loop.buffers.writer, now: loop.now)
    if current.content?.isFull == false { state.resumeContent(now: loop.now) }
    postpone(.advance)
  }

  /// Sends the response to the request; returns what makes its content if that is streamed.
  func send(_ response: Response, id: RequestID) -> (@Sendable (any BodyWriter) async throws -> Void)? {
    if isClosed { return nil }
    guard case .working = current.answer else {
      preconditionFailure("a response is sent by the task that made it")
    }
    loop.claimWriter(for: self)
    if let object = response.retained { output.retained.append(object) }
    switch state.respond(response, id: id, into: &loop.buffers.writer, now: loop.now) {
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

  /// Has a task's handler write the content of the response, to its end.
  func stream(_ produce: @Sendable (any BodyWriter) async throws -> Void, by task: RequestTask) async {
    let stream = ResponseStream(self)
    current.answer = .streaming(task, stream)
    postpone(.flush)
    do {
      try await produce(stream)
    } catch {
      // Without the last chunk the client knows that the response is not whole.
      return close()
    }
    if isClosed { return }
    loop.claimWriter(for: self)
    state.finishResponse(into: &loop.buffers.writer, now: loop.now)
    finishResponse()
  }

  /// Tells how long the handler took.
  func tellTiming(in response: inout Response, since began: MonotonicTime) {
    let microseconds = (Clock.now().nanoseconds - began.nanoseconds) / 1_000
    response.fields.append("server-timing", "app;dur=\(Double(microseconds) / 1_000)")
  }

  /// Remembers what will be reported of the response, if anything is.
  func note(_ response: Response) {
    current.report?.status = response.status
    current.report?.route = response.route
    current.report?.app = response.app
    if case .bytes(let bytes) = response.body { current.report?.sent = bytes.count }
  }

  func report() {
    guard let exchange = current.report.take() else { return }
    let now = Clock.now()
    loop.reporter?.finish(exchange, now: now, calendarTime: loop.calendarTime(at: now))
  }

  func finishResponse() {
    if case .none = current.answer { preconditionFailure("a response ends once") }
    report()
    current.answer = .none
    current.content?.fail(.incomplete)
    current.content = nil
    if loop.buffers.writer.output.count > limits.bufferedOutput { flush() }
    advance()
  }
}
