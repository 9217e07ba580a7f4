public import GatehouseBSON

/// A property of a class.
public struct Property: Hashable, Sendable {
  /// How the property can be found without reading every object.
  public enum Index: Hashable, Sendable {
    case none
    case general
    case fullText
  }

  /// The name that clients use.
  public let name: String
  /// The name that the store uses: realm-js' `mapTo`, or ``name``.
  public let storedName: String
  public let type: PropertyType
  public let index: Index
  /// The value that a creation without this property stores, as the schema spells it; nil if it is the type's own
  /// default.
  public let defaultValue: Value?
  /// Nil: there are none.
  public let constraints: Constraints?

  public init(
    name: String, storedName: String? = nil, type: PropertyType, index: Index = .none,
    defaultValue: Value? = nil, constraints: Constraints? = nil
  ) {
    self.name = name
    self.storedName = storedName ?? name
    self.type = type
    self.index = index
    self.defaultValue = defaultValue
    self.constraints = constraints
  }
}
