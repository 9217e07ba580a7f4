/// A subscription that a multiplexed stream is to carry, admitted already.
public struct SubscriptionRequest: Sendable {
  /// Its name in the stream, which its events have.
  public let name: String
  public let subscription: Subscription
  public let start: StreamStart
  /// The client against whose limit it counts.
  public let client: UInt64

  public init(name: String, _ subscription: Subscription, from start: StreamStart, client: UInt64) {
    self.name = name
    self.subscription = subscription
    self.start = subscription.hasPast ? start : .fresh
    self.client = client
  }
}

/// Why the subscriptions of a stream stay as they are.
public enum MultiplexError: Error, Hashable, Sendable {
  /// There is no such stream, or it is somebody else's.
  case unknownStream
  /// The stream has no subscription of that name.
  case unknownSubscription
  /// The stream has a subscription of that name.
  case nameTaken(String)
  /// The stream would have more subscriptions than there may be.
  case tooManySubscriptions
}
