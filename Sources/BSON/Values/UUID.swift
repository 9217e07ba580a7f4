/// A 16-byte universally unique identifier (RFC 9562), ordered by its bytes.
public struct UUID: Hashable, Sendable {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension UUID: Comparable {
  public static func < (left: UUID, right: UUID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
