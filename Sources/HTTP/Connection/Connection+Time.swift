extension Connection {
  /// The server's next step after a deadline.
  public enum Expiry: Hashable, Sendable {
    case nothing
    /// The client has been given enough time.
    case close
    /// Write ``probe(into:)``: the client has closed its side, and may have gone.
    case probe
    /// Answer with ``refuse(_:id:into:now:)``, then finish.
    case refuse(RequestError)
    /// The content of the request being answered comes too slowly to go on; the answer still goes out.
    case contentFailure
  }

  /// When ``expire(now:)`` is next of use.
  public var deadline: MonotonicTime? {
    earlier(earlier(timerDeadline, writing?.deadline), peer.probe)
  }

  /// When the timer is next of use. A client that still takes its answer is neither idle nor through: however large the
  /// answer, these times begin when it has gone.
  private var timerDeadline: MonotonicTime? {
    switch timer {
    case .idle, .linger: writing == nil ? timer.deadline : nil
    case .none, .handshake, .head, .content: timer.deadline
    }
  }

  private func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// Looks whether time is up.
  public mutating func expire(now: MonotonicTime) -> Expiry {
    if var progress = writing, progress.deadline <= now {
      guard progress.renew(now: now, limits: shared) else { return .close }
      writing = progress
    }
    if let probe = peer.probe, probe <= now {
      peer = .finished(probe: nil)
      if mayBeProbed { return .probe }
    }
    guard let deadline = timerDeadline, deadline <= now else { return .nothing }
    switch timer {
    case .none: return .nothing
    case .handshake, .idle, .linger: return .close
    case .head: return .refuse(RequestError(.timeout, offset: 0))
    case .content(var progress):
      guard !progress.renew(now: now, limits: shared) else {
        timer = .content(progress)
        return .nothing
      }
      return expireContent()
    }
  }

  /// Whether an interim response may be written: before the answer, and not to HTTP/1.0 (RFC 9110 §15.2). What is written
  /// of a streamed answer shows as well whether the client is there.
  private var mayBeProbed: Bool {
    if case .pending = output { exchange.version == .http11 } else { false }
  }

  private mutating func expireContent() -> Expiry {
    switch input {
    case .gathering: return .refuse(RequestError(.timeout, offset: 0))
    case .content:
      finishInput()
      return .contentFailure
    case .head, .skipping, .held, .finished: return .close
    }
  }

  /// The client is too slow to take all of the output: `count` bytes went, others wait.
  public mutating func wrotePart(_ count: Int, now: MonotonicTime) {
    var progress = writing ?? Progress(since: now, limits: shared)
    progress.add(count)
    writing = progress
  }

  /// No output waits any more.
  public mutating func wroteAll(now: MonotonicTime) {
    writing = nil
    switch timer {
    case .idle: timer = .idle(now + shared.idleTime)
    case .linger: timer = .linger(now + shared.lingerTime)
    case .none, .handshake, .head, .content: break
    }
  }

  /// The handler is slow: the client can't be blamed for what does not come.
  public mutating func pauseContent() {
    if case .content = input { timer = .none }
  }

  /// Content is read again. Where it has been read all the time, its time goes on: a handler that takes every byte as it
  /// comes gives a slow client no more of it.
  public mutating func resumeContent(now: MonotonicTime) {
    guard case .content = input, case .none = timer else { return }
    timer = .content(Progress(since: now, limits: shared))
  }

  /// Makes ready for the next request.
  mutating func awaitRequest(_ now: MonotonicTime) {
    guard case .idle = output else {
      preconditionFailure("a request is read when the one before it is answered")
    }
    input = .head
    timer = .idle(now + shared.idleTime)
  }

  /// TLS has been set up.
  public mutating func finishHandshake(now: MonotonicTime) {
    if case .handshake = timer { timer = .idle(now + shared.idleTime) }
  }

  /// Part of a head has come.
  mutating func awaitHead(_ now: MonotonicTime) {
    if case .head = timer { return }
    timer = .head(now + shared.headTime)
  }

  mutating func addProgress(_ count: Int) {
    guard case .content(var progress) = timer else { return }
    progress.add(count)
    timer = .content(progress)
  }
}

extension Connection.Peer {
  fileprivate var probe: MonotonicTime? {
    if case .finished(let probe) = self { probe } else { nil }
  }
}

extension Connection.Timer {
  fileprivate var deadline: MonotonicTime? {
    switch self {
    case .none: nil
    case .handshake(let time), .idle(let time), .head(let time), .linger(let time): time
    case .content(let progress): progress.deadline
    }
  }
}
