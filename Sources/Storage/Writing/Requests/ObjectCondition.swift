public import GatehouseQuery

/// The condition on the objects of a class that a transaction touches. Both predicates are bound to the class.
public struct ObjectCondition: Hashable, Sendable {
  /// An object for which it does not hold is as good as not there.
  public let visible: Predicate
  /// Must hold of an object before it changes, and of each that was changed or created when the transaction
  /// ends.
  public let writable: Predicate

  public init(visible: Predicate, writable: Predicate) {
    self.visible = visible
    self.writable = writable
  }
}
