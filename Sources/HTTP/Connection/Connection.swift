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
    /// Content goes to a handler as it comes.
    case content
    /// The request has been answered, but not all of it has come.
    case skipping
    /// The request is complete and not yet answered.
    case held
    /// Nothing more is read as a request.
    case finished
  }

  enum Output {
    case idle
    case pending
    case streaming(ResponseWriter.Framing)
  }

  /// The facts of a request that its answer depends on.
  struct Exchange {
    var isHead = false
    var version = Version.http11
    var isPersistent = true
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
  var timer: Timer
  var writing: Progress?
  var requestCount = 0
  /// Whether the client waits for `100 Continue`.
  var owesContinue = false
  var isDraining = false
  var peerHasFinished = false
  /// Whether the connection ends with the current response.
  var isLast = false
  /// Whether bytes of the client may be on their way when the connection is finished: closing at once would
  /// reset it, and the last response be lost (RFC 9112 §9.6).
  public internal(set) var lingers = false

  /// `awaitsHandshake` if TLS must be set up first.
  public init(limits: SharedLimits, awaitsHandshake: Bool = false, now: MonotonicTime) {
    shared = limits
    parser = RequestParser(limits: limits)
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

  /// Whether bytes are of use now; if not they can stay where they are.
  public var wantsBytes: Bool {
    switch input {
    case .head, .gathering, .content, .skipping, .finished: true
    case .held: false
    }
  }

  /// Lets the current response be the last one; true when the connection can be closed at once.
  public mutating func drain() -> Bool {
    isDraining = true
    return isIdle
  }
}
