/// Where a subscriber's frames go. Used on the subscriber's event loop only.
public protocol DeliveryTarget: AnyObject, Sendable {
  /// Whether something that was pushed still waits for the client.
  var isBusy: Bool { get }
  func push(_ encoded: EncodedEvents)
  /// Ends the stream with that frame; what was pushed and has not been sent may be left out.
  func finish(_ frame: [UInt8])
  /// Ends the connection.
  func abort()
}
