/// The content of a response.
public enum ResponseBody: Sendable {
  case empty
  /// Sent with a Content-Length.
  case bytes([UInt8])
  /// Sent as the closure writes it, chunked unless the response has a `content-length`; each `write` waits while the client is
  /// slow, and throws once the client is gone.
  case stream(@Sendable (any BodyWriter) async throws -> Void)
  /// Sent chunked, as things happen.
  case pushed(any PushSource)
}

/// Takes the pieces of a streamed response.
public protocol BodyWriter: Sendable {
  /// Returns once there is room for more; throws ``ClientDisconnectedError`` when nobody is there to take it.
  func write(_ bytes: [UInt8]) async throws
}

/// The client has left before its response was complete.
public struct ClientDisconnectedError: Error, Hashable, Sendable {
  public init() {}
}
