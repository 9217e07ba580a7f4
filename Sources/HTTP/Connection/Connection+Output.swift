extension Connection {
  /// The part of a response after its head.
  public enum Rest: Hashable, Sendable {
    /// Nothing: the response is complete.
    case nothing
    /// The producer writes it, by ``write(_:into:)``, until ``finishResponse(into:now:)``.
    case stream
  }

  /// Appends the `100 Continue` that the client waits for, if it does: its content is wanted.
  public mutating func `continue`(into writer: inout ResponseWriter, now: MonotonicTime) {
    guard case .content(owesContinue: true) = input else { return }
    input = .content(owesContinue: false)
    writer.appendContinue()
    timer = .content(Progress(since: now, limits: shared))
  }

  /// Appends a `100 Continue` that the client has not asked for, to learn whether it is still there: one that has gone
  /// resets the connection, and one that has only closed its side must take any number of interim responses before its
  /// answer (RFC 9110 §15.2).
  public func probe(into writer: inout ResponseWriter) {
    if case .pending = output { writer.appendContinue() }
  }

  /// Appends the response to the current request.
  ///
  /// A response whose fields would break the message is replaced by a 500.
  public mutating func respond(
    _ response: Response, id: RequestID?, into writer: inout ResponseWriter, now: MonotonicTime
  ) -> Rest {
    guard case .pending = output else { preconditionFailure("each request has one answer") }
    guard response.fields.areWritable else {
      return send(Response(status: .internalServerError), id: id, into: &writer, now: now)
    }
    return send(response, id: id, into: &writer, now: now)
  }

  private mutating func send(
    _ response: Response, id: RequestID?, into writer: inout ResponseWriter, now: MonotonicTime
  ) -> Rest {
    let framing = framing(of: response)
    let isLast = endsHere || framing.endsConnection
    writer.appendHead(
      response.status, response.fields, framing: framing, persistence: persistence(isLast: isLast), id: id)
    if !exchange.isHead, !response.status.forbidsContent {
      switch response.body {
      case .empty: break
      case .bytes(let bytes): writer.output.append(content: bytes)
      case .stream, .pushed:
        output = .streaming(framing, isLast: isLast)
        return .stream
      }
    }
    endResponse(isLast: isLast, now)
    return .nothing
  }

  private func framing(of response: Response) -> ResponseWriter.Framing {
    if response.status.forbidsContent { return .none }
    switch response.body {
    case .empty where exchange.isHead: return .unsaid
    case .empty: return .length(0)
    case .bytes(let bytes): return .length(bytes.count)
    case .stream where exchange.isHead, .pushed where exchange.isHead: return .unsaid
    case .stream:
      if let length = response.fields["content-length"].flatMap({ Int($0) }), length >= 0 {
        return .length(length)
      }
      return ofUnknownLength
    case .pushed: return ofUnknownLength
    }
  }

  private var ofUnknownLength: ResponseWriter.Framing { exchange.version == .http11 ? .chunked : .close }

  /// Whether no request can follow on this connection.
  private var endsHere: Bool {
    if !exchange.isPersistent || isExhausted { return true }
    guard case .content(let owesContinue) = input else { return false }
    // RFC 9110 §10.1.1: without 100 Continue nobody knows whether the content will follow.
    guard !owesContinue, let remaining = parser.remainingContent else { return true }
    return remaining > limits.skippedContent
  }

  /// Whether no request can follow, whatever becomes of this one.
  private var isExhausted: Bool {
    if case .finished = input { true } else { remainingRequests == 0 }
  }

  private func persistence(isLast: Bool) -> ResponseWriter.Persistence {
    if isLast { return .close }
    return exchange.version == .http11 ? .assumed : .said
  }

  /// Appends a piece of a streamed response; nothing beyond the length that its head has told.
  public mutating func write(_ bytes: [UInt8], into writer: inout ResponseWriter) {
    guard case .streaming(let framing, let isLast) = output else { return }
    switch framing {
    case .chunked: writer.appendChunk(bytes)
    case .close: writer.output.append(bytes)
    case .length(let rest):
      writer.output.append(bytes.count > rest ? Array(bytes[..<rest]) : bytes)
      output = .streaming(.length(max(0, rest - bytes.count)), isLast: isLast)
    case .none, .unsaid: preconditionFailure("such a response is not streamed")
    }
  }

  /// Ends a streamed response. Where less has come than its head has told, the connection ends, by which the client knows.
  public mutating func finishResponse(into writer: inout ResponseWriter, now: MonotonicTime) {
    guard case .streaming(let framing, let isLast) = output else { return }
    switch framing {
    case .chunked: writer.appendLastChunk()
    case .length(1...): return endResponse(isLast: true, now)
    case .none, .length, .close, .unsaid: break
    }
    endResponse(isLast: isLast, now)
  }

  private mutating func endResponse(isLast: Bool, _ now: MonotonicTime) {
    output = .idle
    if isLast || isExhausted { return finish(now) }
    switch input {
    case .held: awaitRequest(now)
    case .content: input = .skipping
    case .head, .gathering, .skipping, .finished:
      preconditionFailure("a request is answered before its content is skipped")
    }
  }

  /// Appends the answer to a request that breaks a rule, with those fields beside its own; the connection is
  /// finished with it. `wait` are the seconds for which its client, of whom there were too many, is to make none; nil: it is
  /// told the rule.
  public mutating func refuse(
    _ error: RequestError, id: RequestID?, fields: Fields = Fields(), wait: Int? = nil,
    into writer: inout ResponseWriter, now: MonotonicTime
  ) {
    guard case .idle = output else { preconditionFailure("what breaks a rule is nobody's to answer yet") }
    exchange = Exchange(isPersistent: false)
    var response =
      wait == nil
      ? Response.problem(error.status, code: error.rule.rawValue)
      : Response.problem(.tooManyRequests, code: "rate_limited")
    if let wait { response.fields.append("retry-after", String(wait)) }
    for line in fields.lines { response.fields.append(line) }
    _ = send(response, id: id, into: &writer, now: now)
  }

  private var isHeld: Bool {
    if case .held = input { true } else { false }
  }

  private mutating func finish(_ now: MonotonicTime) {
    let lingers = if case .sending = peer, !isHeld { true } else { false }
    input = .finished(lingers: lingers)
    timer = .linger(now + shared.lingerTime)
  }
}

extension ResponseWriter.Framing {
  fileprivate var endsConnection: Bool {
    if case .close = self { true } else { false }
  }
}

extension Response {
  /// A problem that the server finds before any handler could (RFC 9457).
  public static func problem(_ status: Status, code: String) -> Response {
    let body = """
      {"type":"about:blank","title":"\(status.reason)","status":\(status.rawValue),"code":"\(code)"}
      """
    return Response(
      status: status,
      fields: Fields([Fields.Line(name: "content-type", value: "application/problem+json")]),
      body: .bytes(Array(body.utf8)))
  }
}
