internal import GatehouseBSON

/// A 12-byte identifier of an object, which is probably unique.
public final class ObjectId: Sendable {
  /// The value as the store has it.
  let stored: GatehouseBSON.ObjectID

  init(_ stored: GatehouseBSON.ObjectID) { self.stored = stored }

  /// Creates an ObjectId of zeros.
  public init() { stored = GatehouseBSON.ObjectID(high: 0, low: 0) }

  /// Returns a new ObjectId that no other one equals, in all probability.
  public static func generate() -> ObjectId { ObjectId(GatehouseBSON.ObjectID.generate()) }
}

extension ObjectId: Hashable {
  /// Whether the bytes are the same.
  public static func == (lhs: ObjectId, rhs: ObjectId) -> Bool { lhs.stored == rhs.stored }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(stored) }
}
