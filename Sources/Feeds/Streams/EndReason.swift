/// Why the server ends a stream, as its `end` event says it. Whoever gave a stream a ``StreamLease`` has reasons of
/// its own.
public struct EndReason: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  /// The text needs no escape in JSON.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The server stops; another may answer already.
  static let shutdown = EndReason(rawValue: "shutdown")
  /// The stream is as old as streams become: connect again.
  static let lifetime = EndReason(rawValue: "lifetime")
  /// The schema has changed, and what was watched has no meaning any more.
  static let schema = EndReason(rawValue: "schema")
  /// The client has taken the subscription out of its stream.
  static let unsubscribed = EndReason(rawValue: "unsubscribed")
  /// The results could not be read, or not in time.
  static let unreadable = EndReason(rawValue: "unreadable")
}
