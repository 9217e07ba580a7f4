public import GatehouseBSON

extension Property {
  /// The rules that values of a property have to meet beside its type. Null is no value, and meets all of them.
  public struct Constraints: Hashable, Sendable {
    /// Whether no two objects of the class may have the same value. Null is no value: any number of objects may have it.
    public var isUnique: Bool
    /// The values that there are, as the schema spells them; nil: any of the type. Of a collection each element is one.
    public var allowed: [Value]?
    /// The least and the greatest value, as the schema spells them. Of a collection each element has to be between them.
    public var minimum: Value?
    public var maximum: Value?
    /// How long texts are, in Unicode scalars, and data, in bytes. Of a collection each element has to be so.
    public var length: CountBounds
    /// How many elements a list, set or map has.
    public var count: CountBounds
    /// Whether the value is the time at which the object changed last, which the store writes, whatever clients say.
    public var isUpdateTime = false

    public init(
      isUnique: Bool = false, allowed: [Value]? = nil, minimum: Value? = nil, maximum: Value? = nil,
      length: CountBounds = CountBounds(), count: CountBounds = CountBounds()
    ) {
      self.isUnique = isUnique
      self.allowed = allowed
      self.minimum = minimum
      self.maximum = maximum
      self.length = length
      self.count = count
    }

    /// Whether there are rules for a value by itself, whatever other objects have.
    public var hasValueRules: Bool { self != withoutValueRules }

    /// Returns the rules about other objects' values, and about who writes the property.
    public var withoutValueRules: Constraints {
      var others = Constraints(isUnique: isUnique)
      others.isUpdateTime = isUpdateTime
      return others
    }
  }

  /// Whether the value is the time at which the object changed last, which the store writes.
  public var isUpdateTime: Bool { constraints?.isUpdateTime ?? false }

  /// Whether no two objects of the class may have the same value.
  public var isUnique: Bool { constraints?.isUnique ?? false }
}

/// How many of something there have to be; nil: as few, or as many, as one likes.
public struct CountBounds: Hashable, Sendable {
  public var minimum: Int?
  public var maximum: Int?

  public init(minimum: Int? = nil, maximum: Int? = nil) {
    self.minimum = minimum
    self.maximum = maximum
  }

  public var isEmpty: Bool { minimum == nil && maximum == nil }

  public func contains(_ count: Int) -> Bool { count >= minimum ?? 0 && count <= maximum ?? .max }
}

/// A rule of the schema for values beside their type, as the schema spells it.
public enum Constraint: Hashable, Sendable {
  case allowed([Value])
  case range(minimum: Value?, maximum: Value?)
  /// Unicode scalars of a text, bytes of data.
  case length(CountBounds, ofText: Bool)
  /// Elements of a collection.
  case count(CountBounds)
  /// The predicate that objects of the class have to meet; nil: it is not for everybody to know.
  case check(String?)
}
