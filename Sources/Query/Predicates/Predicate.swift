/// A condition on objects, bound to a schema: an object belongs to a result if it holds.
///
/// Two-valued: a predicate holds or it does not, and `not` is the plain complement. Null is a value like any
/// other (Realm; unlike SQL).
public enum Predicate: Hashable, Sendable {
  /// All of them hold; of none: always.
  case all([Predicate])
  /// At least one of them holds; of none: never.
  case any([Predicate])
  indirect case not(Predicate)
  case comparison(Comparison)
  /// A string contains words. The path ends in a property with a full-text index.
  indirect case fullText(KeyPath, FullTextQuery)
  /// Embedded objects in GeoJSON's shape lie in a region. The path ends in an object.
  indirect case within(KeyPath, Quantifier, Region)
  /// A condition that sees everything, whatever the ``Visibility`` is under which it is evaluated.
  indirect case unguarded(Predicate)

  /// Holds for every object.
  public static let always = Predicate.all([])
  /// Holds for no object.
  public static let never = Predicate.any([])
}

/// How many of several values a test must hold for. All and none hold where there is no value.
public enum Quantifier: Hashable, Sendable {
  case any
  case all
  case none
}

extension Quantifier {
  /// The spelling in the language.
  var word: String {
    switch self {
    case .any: "ANY"
    case .all: "ALL"
    case .none: "NONE"
    }
  }
}
