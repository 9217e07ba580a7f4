/// The source of the pieces that are pushed into a response that stays open. It is called on the connection's event
/// loop only.
///
/// A task that waits for each piece would cost every open response a kilobyte or two, and every piece a switch of
/// tasks.
public protocol PushSource: AnyObject, Sendable {
  /// The response's head has been written. Ends with ``PushSink/complete()``, ``PushSink/abort()`` or ``end()``.
  func start(_ sink: any PushSink)
  /// The client has taken everything that was pushed.
  func resume()
  /// The client is gone; the sink is of no more use.
  func end()
}

/// The connection's side of a response that is pushed. It is used on the connection's event loop only.
public protocol PushSink: AnyObject, Sendable {
  /// Whether something that was pushed still waits for the client.
  var isBusy: Bool { get }
  /// Sends a piece, at once if the socket takes it.
  func push(_ bytes: [UInt8])
  /// Ends the response.
  func complete()
  /// Ends the connection in the middle of the response.
  func abort()
}
