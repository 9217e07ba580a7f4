internal import GatehousePolling

/// Whether the socket of a connection may still bring bytes.
///
///     drained ──input──▶ ready ──read it empty──▶ drained
///        └──hang-up──▶ ending ◀──hang-up──┘
///                        └──read the end──▶ ended
///
/// Epoll tells each change only once (EPOLLET), and of the end together with the last bytes: both are remembered.
enum SocketInput: Hashable {
  /// There is nothing to read until epoll tells of more.
  case drained
  /// There may be bytes.
  case ready
  /// The client has hung up; there may be bytes, and the end has not been read.
  case ending(HangUp)
  /// The client has hung up, and everything was read.
  case ended(HangUp)

  enum HangUp: Hashable {
    /// The client has closed its side: it may have gone, or still read.
    case half
    /// Nobody reads on the other side.
    case whole
  }

  /// Whether a read is of use.
  var mayHaveBytes: Bool {
    switch self {
    case .ready, .ending: true
    case .drained, .ended: false
    }
  }

  private var hangUp: HangUp? {
    switch self {
    case .ending(let hangUp), .ended(let hangUp): hangUp
    case .drained, .ready: nil
    }
  }

  /// Whether the client has closed its side.
  var hasHungUp: Bool { hangUp != nil }

  /// Whether nobody would read an answer.
  var isGone: Bool { hangUp == .whole }

  /// Takes over what epoll has told.
  mutating func note(_ readiness: Readiness) {
    if readiness.tellsHangUp {
      self = .ending(readiness.contains(.hangUp) || isGone ? .whole : .half)
    } else if readiness.contains(.input) {
      self = hangUp.map { .ending($0) } ?? .ready
    }
  }

  /// A read has found less than there was room for: what comes later is told anew, but for the end.
  mutating func didReadAll() {
    if case .ready = self { self = .drained }
  }

  /// A read has found nothing yet (EAGAIN).
  mutating func didReadNothing() {
    self = hangUp.map { .ended($0) } ?? .drained
  }

  /// A read has found the end.
  mutating func didReadEnd() {
    self = .ended(hangUp ?? .half)
  }
}
