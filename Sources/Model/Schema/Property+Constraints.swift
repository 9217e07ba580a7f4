extension Property {
  /// The rules that values of a property have to meet beside its type.
  public struct Constraints: Hashable, Sendable {
    /// Whether no two objects of the class may have the same value. Null is no value: any number of objects may have it.
    public var isUnique: Bool

    public init(isUnique: Bool = false) {
      self.isUnique = isUnique
    }
  }

  /// Whether no two objects of the class may have the same value.
  public var isUnique: Bool { constraints?.isUnique ?? false }
}
