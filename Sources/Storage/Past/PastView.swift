public import GatehouseQuery

/// The store as it was at a version, as far as somebody may see it.
public struct PastView: Hashable, Sendable {
  public let version: Int64
  /// The classes that answers depend on: that of their objects, and those that links of it lead to or come from.
  public let classes: Set<String>
  /// For each class of which not all objects may be seen, the condition on those that may. It must hold for an object as it
  /// was, and for the same object as it is.
  public let conditions: [String: Predicate]
  /// The generation of the schema in whose terms answers are.
  public let generation: Int64

  public init(
    version: Int64, classes: Set<String>, conditions: [String: Predicate] = [:], generation: Int64
  ) {
    self.version = version
    self.classes = classes
    self.conditions = conditions.filter { classes.contains($0.key) }
    self.generation = generation
  }
}
