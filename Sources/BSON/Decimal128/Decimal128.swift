/// An IEEE 754-2008 decimal128 number in its binary integer decimal encoding: 34 significant digits.
///
/// Equality and hashing are those of the bits, so `1.0` and `1.00` differ; compare values with
/// ``compare(_:_:)``.
public struct Decimal128: Hashable, Sendable {
  /// The sign bit, the combination field, and the first bits of the significand.
  public let high: UInt64
  /// The last 64 bits of the significand.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
