/// MongoDB's replication timestamp, which is not a date.
public struct Timestamp: Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  public let time: UInt32
  /// Ordinal within that second.
  public let increment: UInt32

  public init(time: UInt32, increment: UInt32) {
    self.time = time
    self.increment = increment
  }
}
