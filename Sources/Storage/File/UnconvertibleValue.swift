public import GatehouseModel

/// A value that a change of the schema would lose: none of the property's new type says the same.
public struct UnconvertibleValue: Hashable, Sendable {
  /// Why it cannot be kept.
  public enum Reason: Hashable, Sendable {
    /// The property has none, and must have one now.
    case null
    /// No value of the second type says the same as this one of the first.
    case inexact(from: ElementType, to: ElementType)
    /// The set has an equal value of its new type already.
    case duplicate
    /// The list or set has so many elements, of which a single value can keep one.
    case many(count: Int)
    /// There is no object of that class with the value as its primary key.
    case noTarget(objectType: String)
  }

  public let objectType: String
  /// By the name that clients use after the change.
  public let property: String
  /// The primary key of the object, or its object key.
  public let id: Mixed
  public let reason: Reason
  /// Whether leave to lose data is all that the change needs.
  public let isLosable: Bool

  public init(
    objectType: String, property: String, id: Mixed, reason: Reason, isLosable: Bool = true
  ) {
    self.objectType = objectType
    self.property = property
    self.id = id
    self.reason = reason
    self.isLosable = isLosable
  }
}
