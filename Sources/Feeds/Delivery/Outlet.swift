/// Where a subscriber's frames go. Used on the subscriber's event loop only.
public protocol Outlet: AnyObject, Sendable {
  /// Whether something that was pushed still waits for the client.
  var isBusy: Bool { get }
  func push(_ parcel: Parcel)
  /// Ends the stream.
  func finish()
  /// Ends the connection.
  func abort()
}
