internal import CGatehousePolling

/// The states of a descriptor that an epoll instance reports.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let input = Readiness(rawValue: EPOLLIN.rawValue)
  public static let output = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer has closed its side.
  public static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both sides are closed.
  public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  public static let error = Readiness(rawValue: EPOLLERR.rawValue)
  public static let edgeTriggered = Readiness(rawValue: EPOLLET.rawValue)
  public static let exclusive = Readiness(rawValue: EPOLLEXCLUSIVE.rawValue)

  /// Whether the peer has closed its side, or both are closed.
  public var tellsHangUp: Bool { !isDisjoint(with: [.peerClosed, .hangUp]) }
}
