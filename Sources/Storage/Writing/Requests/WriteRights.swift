public import GatehouseQuery

/// The rights of the caller of a transaction; by default they may see and change everything.
public struct WriteRights: Sendable {
  /// The conditions on the objects that it changes, by their classes; those of other classes may be changed freely.
  public var conditions: [String: ObjectCondition]
  /// The part of the store that the caller sees; nil: all of it. What they do not see stays where it is, whatever they
  /// write, and is not in ``Commit/Result/object``.
  public var visibility: Visibility?

  public init(conditions: [String: ObjectCondition] = [:], visibility: Visibility? = nil) {
    self.conditions = conditions
    self.visibility = visibility
  }
}
