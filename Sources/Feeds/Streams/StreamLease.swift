/// How long a stream may last, whatever its client and ``FeedOptions`` say.
public struct StreamLease: Sendable {
  /// Something that streams depend on, such as the session of a caller; the event broker does not know what it is.
  public struct Owner: Hashable, Sendable {
    private let name: String

    public init(_ name: String) {
      self.name = name
    }
  }

  /// The stream ends with the first of them that ends (``LoopBroker/end(_:_:)``).
  public let owners: [Owner]
  /// When the stream ends by itself, in nanoseconds of its loop's clock, and why; nil: it does not.
  public let deadline: (time: UInt64, reason: EndReason)?

  public init(owners: [Owner] = [], deadline: (time: UInt64, reason: EndReason)? = nil) {
    self.owners = owners
    self.deadline = deadline
  }
}
