internal import GatehouseBSON

/// A decimal number of 34 digits.
public final class Decimal128: Sendable {
  /// The value as the store has it.
  let stored: GatehouseBSON.Decimal128

  init(_ stored: GatehouseBSON.Decimal128) { self.stored = stored }

  /// Creates zero.
  public init() { stored = GatehouseBSON.Decimal128(Int64(0)) }
}

extension Decimal128: Hashable {
  /// Whether the bits are the same.
  public static func == (lhs: Decimal128, rhs: Decimal128) -> Bool { lhs.stored == rhs.stored }

  /// Hashes the bits.
  public func hash(into hasher: inout Hasher) { hasher.combine(stored) }
}
