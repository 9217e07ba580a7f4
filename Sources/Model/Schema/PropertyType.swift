/// The type of one value of a property, or of one element of its collection.
public enum ElementType: Hashable, Sendable {
  case bool
  case int
  case float
  case double
  case decimal128
  case string
  case data
  case date
  case objectID
  case uuid
  case mixed
  /// A link to an object of that class, or, where the class is embedded, the object itself.
  case object(String)
}

/// The type of a property.
///
/// `optional` tells whether null is a legal value. Realm's rules hold for every validated schema: to-one
/// links and mixed values are always optional, objects in lists and sets never, objects in maps always.
public enum PropertyType: Hashable, Sendable {
  case one(ElementType, optional: Bool)
  case list(ElementType, optional: Bool)
  case set(ElementType, optional: Bool)
  case map(ElementType, optional: Bool)
  /// The objects of class `objectType` whose property `property` links here. Computed, never stored.
  case linkingObjects(objectType: String, property: String)

  /// The class of the objects that the value, or its elements, are or link to; nil where links only lead here.
  public var linkTarget: String? {
    switch self {
    case .one(.object(let target), _), .list(.object(let target), _), .set(.object(let target), _),
      .map(.object(let target), _):
      target
    case .one, .list, .set, .map, .linkingObjects: nil
    }
  }

  /// Whether a collection lacks links that may not be seen: a list of links, and every set. In a map, and in a list of
  /// mixed values, null stands in their place, since other elements are found by where they are.
  public var dropsHiddenLinks: Bool {
    switch self {
    case .list(.object, _), .set, .linkingObjects: true
    case .one, .list, .map: false
    }
  }
}
