/// Bounds on what subscribers cost. Times in nanoseconds, sizes in bytes.
public struct FeedOptions: Hashable, Sendable {
  /// After so much silence a subscriber gets a heartbeat.
  public var heartbeat: UInt64 = 15_000_000_000
  /// How old a stream becomes at most; up to a tenth less, so that not all end at once. 0: as old as it wants.
  public var lifetime: UInt64 = 3_600_000_000_000
  /// The bytes that may wait for a slow subscriber before it is dropped.
  public var queueSize = 1 << 20
  /// So long after commits that came together what comes next is told together.
  public var pause: UInt64 = 4_000_000
  /// Objects that one change may concern through links; beyond, subscribers are told to read anew.
  public var distantObjects = 10_000
  /// Changes that are read in one go at the end of the log.
  public var liveChanges = 1_000
  /// Changes that a replay looks at in one go.
  public var replayChanges = 512
  /// Bytes that each stream may hold while it is far behind.
  public var replayMemory = ReplayMemory()
  /// Subscribers in all.
  public var subscribers = 65_536
  /// The place of these subscribers among those of several stores; nil: they have as many as they may have.
  public var places: SubscriberPlaces?
  /// Subscribers from one client.
  public var subscribersPerClient = 4_096
  /// Subscriptions of one multiplexed stream. Each counts as a subscriber, and so does the stream.
  public var subscriptionsPerStream = 256
  /// How long clients are told to wait before they connect again, in milliseconds.
  public var retry = 2_000

  public init() {}
}
