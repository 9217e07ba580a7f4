public import GatehouseModel
public import GatehouseQuery

/// The condition on the objects of a class that a transaction touches. Both predicates are bound to the class.
public struct ObjectCondition: Hashable, Sendable {
  /// An object for which it does not hold is as good as not there.
  public let visible: Predicate
  /// Must hold of an object before it changes, and of each that was changed or created when the transaction
  /// ends.
  public let writable: Predicate
  /// The positions of the properties that the caller does not write: they keep their values where an object is replaced,
  /// and have their defaults where one is made.
  public let kept: Set<Int>
  /// The fields of documents that the caller does not write.
  public let keptFields: Set<ExactText>
  /// The most objects that may be ``writable``; nil: any number.
  public let quota: ObjectQuota?

  public init(
    visible: Predicate, writable: Predicate, kept: Set<Int> = [], keptFields: Set<ExactText> = [],
    quota: ObjectQuota? = nil
  ) {
    self.visible = visible
    self.writable = writable
    self.kept = kept
    self.keptFields = keptFields
    self.quota = quota
  }
}
