/// Request line and field lines, checked, with what they say about the message as a whole.
public struct RequestHead: Sendable {
  /// The target, then the field lines.
  private let packed: HeadBytes
  /// How many bytes it took.
  let length: Int
  private let pathEnd: UInt32
  private let targetEnd: UInt32
  public let method: Method
  public let version: Version
  /// Whether the client means to use the connection again (RFC 9112 §9.3).
  public let isPersistent: Bool
  /// Whether the client waits for `100 Continue` before it sends the content (RFC 9110 §10.1.1).
  public let expectsContinue: Bool
  /// Whether there is an `x-request-id`.
  public let hasID: Bool
  /// Whether there is a `traceparent`.
  public let hasTraceParent: Bool
  public let framing: Framing

  /// How the end of the content is found (RFC 9112 §6).
  public enum Framing: Hashable, Sendable {
    case none
    /// More than 0.
    case length(Int)
    case chunked
  }

  init(
    packed: HeadBytes, length: Int, pathEnd: Int, targetEnd: Int, method: Method, version: Version,
    framing: Framing,
    isPersistent: Bool, expectsContinue: Bool, hasID: Bool, hasTraceParent: Bool
  ) {
    self.packed = packed
    self.length = length
    self.pathEnd = UInt32(truncatingIfNeeded: pathEnd)
    self.targetEnd = UInt32(truncatingIfNeeded: targetEnd)
    self.method = method
    self.version = version
    self.framing = framing
    self.isPersistent = isPersistent
    self.expectsContinue = expectsContinue
    self.hasID = hasID
    self.hasTraceParent = hasTraceParent
  }

  /// The request target (RFC 9112 §3.2).
  public var target: Target { Target(bytes: packed, pathEnd: pathEnd, end: targetEnd) }

  /// The field lines, in order.
  public var fields: Fields { Fields(packed: packed, start: targetEnd) }
}

/// The versions that are spoken.
public enum Version: Hashable, Sendable {
  case http10
  case http11
}
