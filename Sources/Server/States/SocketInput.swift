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
  /// The client has closed its side; there may be bytes, and the end has not been read.
  case ending
  /// The client has closed its side, and everything was read.
  case ended

  /// Whether a read is of use.
  var mayHaveBytes: Bool {
    switch self {
    case .ready, .ending: true
    case .drained, .ended: false
    }
  }

  /// Whether the client has closed its side.
  var hasHungUp: Bool {
    switch self {
    case .ending, .ended: true
    case .drained, .ready: false
    }
  }

  /// Takes over what epoll has told.
  mutating func note(_ readiness: Readiness) {
    if readiness.tellsHangUp {
      self = .ending
    } else if readiness.contains(.input) {
      self = hasHungUp ? .ending : .ready
    }
  }

  /// A read has found less than there was room for: what comes later is told anew, but for the end.
  mutating func didReadAll() {
    if case .ready = self { self = .drained }
  }

  /// A read has found nothing yet (EAGAIN).
  mutating func didReadNothing() {
    self = hasHungUp ? .ended : .drained
  }

  /// A read has found the end.
  mutating func didReadEnd() {
    self = .ended
  }
}
