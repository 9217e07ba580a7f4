/// The server's side of one connection (RFC 9112 §9) as a value: it is told what happened and says what to do.
///
/// The request's side:
///
///     head ──▶ gathering ──▶ held ──answered──▶ head …
///       │          │          ▲
///       └──────────┴▶ content ┘        content ──answered──▶ skipping ──end──▶ head …
///
///     any of them ──error, timeout, last answer──▶ finished
///
/// The response's side:
///
///     idle ──a request──▶ pending ──a response──▶ idle
///                            └──▶ streaming ──finish──▶ idle
///
/// One request is answered at a time, in order; what a client sends ahead waits in `held`.
public struct Connection: Sendable {
  let shared: SharedLimits

  /// The use of the bytes that come in.
  enum Input {
    case head
    /// Small content is awaited before the handler is called. Indirect, because the other cases are told apart for
    /// every request, and would all be as large as this one.
    indirect case gathering(RequestHead, [UInt8])
    /// Content goes to a handler as it comes; whether the client waits for `100 Continue` to send it.
    case content(owesContinue: Bool)
    /// The request has been answered, but not all of it has come.
    case skipping
    /// The request is complete and not yet answered.
    case held
    /// Nothing more is read as a request; whether bytes of the client may be on their way.
    case finished(lingers: Bool)
  }

  enum Output {
    case idle
    case pending
    /// The head has been written; whether it said that the connection ends with this response.
    case streaming(ResponseWriter.Framing, isLast: Bool)
  }

  /// The facts of a request that its answer depends on.
  struct Exchange {
    var isHead = false
    var version = Version.http11
    var isPersistent = true
  }

  /// Whether the client still sends.
  enum Peer {
    case sending
    /// It has closed its side: it has gone, or has no more to say and waits for its answers. At `probe`, if it is owed
    /// one, it is asked; nil: it has been.
    case finished(probe: MonotonicTime?)
  }

  enum Timer {
    case none
    case handshake(MonotonicTime)
    case idle(MonotonicTime)
    case head(MonotonicTime)
    case content(Progress)
    case linger(MonotonicTime)
  }

  var parser: RequestParser
  var input = Input.head
  var output = Output.idle
  var exchange = Exchange()
  var peer = Peer.sending
  var timer: Timer
  var writing: Progress?
  /// The requests that the client may still make; 0 as well once the server drains.
  var remainingRequests: Int

  /// `awaitsHandshake` if TLS must be set up first.
  public init(limits: SharedLimits, awaitsHandshake: Bool = false, now: MonotonicTime) {
    shared = limits
    parser = RequestParser(limits: limits)
    remainingRequests = limits.limits.requestsPerConnection
    timer = awaitsHandshake ? .handshake(now + limits.headTime) : .idle(now + limits.idleTime)
  }

  /// The limits that the connection is held to.
  public var limits: Limits { shared.limits }

  /// Whether neither a request nor a response is under way.
  public var isIdle: Bool {
    guard case .head = input, case .idle = output else { return false }
    return parser.isBetweenRequests
  }

  /// Whether a handler is at work on a request.
  public var isAnswering: Bool {
    if case .idle = output { false } else { true }
  }

  /// Whether the connection is to be closed once its output has gone.
  public var isFinished: Bool {
    guard case .finished = input, case .idle = output else { return false }
    return true
  }

  /// Whether bytes of the client may be on their way when the connection is finished: closing at once would
  /// reset it, and the last response be lost (RFC 9112 §9.6).
  public var lingers: Bool {
    if case .finished(let lingers) = input { lingers } else { false }
  }

  /// Whether bytes are of use now; if not they can stay where they are.
  public var wantsBytes: Bool {
    switch input {
    case .head, .gathering, .content, .skipping, .finished: true
    case .held: false
    }
  }

  /// Lets the current response be the last one; true when the connection can be closed at once.
  public mutating func drain() -> Bool {
    remainingRequests = 0
    return isIdle
  }
}

extension Connection {
  /// The server's next step after bytes came.
  public enum Action: Sendable {
    /// The input is used up.
    case read
    /// The rest of the input is for later: a request is being answered.
    case hold
    /// A request for the handler.
    case respond(RequestHead, Content)
    /// Content of the request being answered stands in this range of the input.
    case content(Range<Int>)
    /// That content is complete.
    case contentEnd
    /// That content will not come; the answer still goes out.
    case contentFailure(BodyError)
    /// Answer with ``Connection/refuse(_:into:now:)``.
    case refuse(RequestError)
  }

  /// The content of a request for the handler.
  public enum Content: Sendable {
    case none
    case whole([UInt8])
    /// Its beginning; the rest follows as actions.
    case first([UInt8])
  }

  /// Returns the next step for `bytes` from `position` on, which is advanced. Heads are read into `room`.
  public mutating func next(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom, now: MonotonicTime
  ) -> Action {
    let start = position
    precondition(start >= 0 && start <= bytes.count, "what is parsed is what has come")
    defer {
      precondition(position >= start && position <= bytes.count, "bytes are parsed once, in their order")
    }
    do {
      while true {
        switch input {
        case .finished:
          position = bytes.count
          return .read
        case .held: return .hold
        case .head: return try nextHead(in: bytes, at: &position, using: &room, now: now)
        case .gathering(let head, let content):
          // So that the content is held only once, and not copied.
          input = .head
          return try gather(content, of: head, in: bytes, at: &position, using: &room)
        case .content: return try nextContent(in: bytes, at: &position, using: &room)
        case .skipping:
          if try skip(in: bytes, at: &position, using: &room, now: now) { return .read }
        }
      }
    } catch {
      return fail(error)
    }
  }

  private mutating func nextHead(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom, now: MonotonicTime
  ) throws(RequestError) -> Action {
    guard case .head(let head) = try parser.next(in: bytes, at: &position, using: &room) else {
      if !parser.isBetweenRequests { awaitHead(now) }
      return .read
    }
    if remainingRequests > 0 { remainingRequests -= 1 }
    exchange = Exchange(
      isHead: head.method == .head, version: head.version, isPersistent: head.isPersistent)
    switch head.framing {
    case .none:
      return respond(head, .none, input: .held)
    case .length(let length) where head.expectsContinue || length > shared.limits.gatheredContent:
      return stream(head, now: now)
    case .chunked where head.expectsContinue:
      return stream(head, now: now)
    case .length, .chunked:
      timer = .content(Progress(since: now, limits: shared))
      return try gather([], of: head, in: bytes, at: &position, using: &room)
    }
  }

  private mutating func respond(
    _ head: consuming RequestHead, _ content: consuming Content, input next: consuming Input
  ) -> Action {
    guard case .idle = output else { preconditionFailure("one request is answered at a time") }
    output = .pending
    switch next {
    case .held: timer = .none
    case .content: break
    case .head, .gathering, .skipping, .finished:
      preconditionFailure("a handler is called when its request has come, or while its content does")
    }
    input = next
    return .respond(head, content)
  }

  private mutating func stream(_ head: RequestHead, now: MonotonicTime) -> Action {
    timer = .content(Progress(since: now, limits: shared))
    return respond(head, .first([]), input: .content(owesContinue: head.expectsContinue))
  }

  /// Takes content for a request whose handler has not been called.
  private mutating func gather(
    _ gathered: consuming [UInt8], of head: RequestHead, in bytes: UnsafeRawBufferPointer,
    at position: inout Int, using room: inout HeadRoom
  ) throws(RequestError) -> Action {
    while true {
      switch try parser.next(in: bytes, at: &position, using: &room) {
      case .head: preconditionFailure("a head within content")
      case .end: return respond(head, .whole(gathered), input: .held)
      case .content(let range):
        gathered.append(contentsOf: bytes[range])
        addProgress(range.count)
        if gathered.count > shared.limits.gatheredContent {
          return respond(head, .first(gathered), input: .content(owesContinue: false))
        }
      case .needsBytes:
        // How much a chunked body still brings, and when, is unknown: it may depend on the answer.
        if head.framing == .chunked {
          return respond(head, .first(gathered), input: .content(owesContinue: false))
        }
        input = .gathering(head, gathered)
        return .read
      }
    }
  }

  private mutating func nextContent(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom
  ) throws(RequestError) -> Action {
    switch try parser.next(in: bytes, at: &position, using: &room) {
    case .head: preconditionFailure("a head within content")
    case .needsBytes: return .read
    case .content(let range):
      input = .content(owesContinue: false)
      addProgress(range.count)
      return .content(range)
    case .end:
      input = .held
      timer = .none
      return .contentEnd
    }
  }

  /// Drops content; true when more must come.
  private mutating func skip(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, using room: inout HeadRoom, now: MonotonicTime
  ) throws(RequestError) -> Bool {
    switch try parser.next(in: bytes, at: &position, using: &room) {
    case .head: preconditionFailure("a head within content")
    case .needsBytes: return true
    case .content(let range): addProgress(range.count)
    case .end: awaitRequest(now)
    }
    return false
  }

  /// Turns a broken rule into an action, by whether somebody is answering the request already.
  private mutating func fail(_ error: RequestError) -> Action {
    switch input {
    case .head, .gathering: return .refuse(error)
    case .content:
      finishInput()
      return .contentFailure(
        error.rule == .contentTooLarge ? .tooLarge(limit: limits.content) : .incomplete)
    case .skipping, .held, .finished:
      finishInput()
      return .read
    }
  }

  /// Reads no more requests; the answer under way, if any, is the last.
  mutating func finishInput() {
    input = .finished(lingers: false)
    timer = .none
  }

  /// Takes note that the client has closed its side, though not all that it sent may have been handled yet.
  public mutating func notePeerFinished(now: MonotonicTime) {
    if case .sending = peer { peer = .finished(probe: now + shared.probeTime) }
  }

  /// Returns the next step after the last byte that the client will ever send.
  public mutating func receiveEnd(now: MonotonicTime) -> Action {
    notePeerFinished(now: now)
    switch input {
    case .content:
      finishInput()
      return .contentFailure(.incomplete)
    case .held: remainingRequests = 0
    case .head, .gathering, .skipping, .finished: finishInput()
    }
    return .read
  }
}
