extension Connection {
  /// The server's next step after a deadline.
  public enum Expiry: Hashable, Sendable {
    case nothing
    /// The client has been given enough time.
    case close
    /// Answer with ``refuse(_:id:into:now:)``, then finish.
    case refuse(RequestError)
    /// The content of the request being answered comes too slowly to go on; the answer still goes out.
    case contentFailure
  }

  /// When ``expire(now:)`` is next of use.
  public var deadline: MonotonicTime? {
    switch (timer.deadline, writing?.deadline) {
    case (let one?, let other?): min(one, other)
    case (let one, let other): one ?? other
    }
  }

  /// Looks whether time is up.
  public mutating func expire(now: MonotonicTime) -> Expiry {
    if var progress = writing, progress.deadline <= now {
      guard progress.renew(now: now, limits: shared) else { return .close }
      writing = progress
    }
    guard let deadline = timer.deadline, deadline <= now else { return .nothing }
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

  /// No output waits.
  public mutating func wroteAll() {
    writing = nil
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

extension Connection.Timer {
  fileprivate var deadline: MonotonicTime? {
    switch self {
    case .none: nil
    case .handshake(let time), .idle(let time), .head(let time), .linger(let time): time
    case .content(let progress): progress.deadline
    }
  }
}
