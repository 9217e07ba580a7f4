/// Request line and field lines, checked, with what they say about the message as a whole.
public struct RequestHead: Sendable {
  public var method: Method
  public var target: Target
  public var version: Version
  public var fields: Fields
  public var framing: Framing
  /// Whether the client means to use the connection again (RFC 9112 §9.3).
  public var isPersistent: Bool
  /// Whether the client waits for `100 Continue` before it sends the content (RFC 9110 §10.1.1).
  public var expectsContinue: Bool
  /// Whether there is an `x-request-id`.
  public var hasID: Bool

  /// How the end of the content is found (RFC 9112 §6).
  public enum Framing: Hashable, Sendable {
    case none
    /// More than 0.
    case length(Int)
    case chunked
  }
}

/// The versions that are spoken.
public enum Version: Hashable, Sendable {
  case http10
  case http11
}
