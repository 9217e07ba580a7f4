/// A 12-byte object identifier, ordered by its bytes.
///
/// Two words rather than twelve bytes, because an `InlineArray` has no `==`.
public struct ObjectID: Hashable, Sendable {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last four bytes, big-endian.
  public let low: UInt32

  public init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }
}

extension ObjectID: Comparable {
  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
