public import Model

/// A path from an object to values, bound to a schema.
///
/// It has two parts: ``hops`` lead from object to object, ``end`` says what is read where they arrive.
public struct KeyPath: Hashable, Sendable {
  /// The class that the path starts at.
  public let objectType: String
  public let hops: [Hop]
  public let end: End
  /// The type of each value that the path yields.
  public let type: ElementType

  package init(objectType: String, hops: [Hop], end: End, type: ElementType) {
    self.objectType = objectType
    self.hops = hops
    self.end = end
    self.type = type
  }

  /// The class of the objects that ``end`` reads.
  public var targetType: String {
    hops.last?.target ?? objectType
  }

  /// Whether a hop can lead to any number of objects.
  public var hasManyTargets: Bool {
    hops.contains { $0.isToMany }
  }

  /// Whether the path can yield any number of values.
  public var isToMany: Bool {
    hasManyTargets || end.isToMany
  }
}

/// One step from an object to others.
public struct Hop: Hashable, Sendable {
  /// How a hop leads on. A `property` is a position in the properties of the class that it leaves.
  public enum Route: Hashable, Sendable {
    /// A to-one link, or an embedded object.
    case link(property: Int)
    /// All objects of a list, set or map.
    case elements(property: Int)
    /// One object of a list.
    case element(property: Int, at: Position)
    /// One object of a map.
    case entry(property: Int, key: String)
    /// The objects of class `objectType` whose property links here, once per link.
    case linkingObjects(objectType: String, property: Int)
  }

  public let route: Route
  /// The class that the hop arrives at.
  public let target: String

  package init(_ route: Route, to target: String) {
    self.route = route
    self.target = target
  }

  /// Whether the hop can lead to any number of objects.
  public var isToMany: Bool {
    switch route {
    case .link, .element, .entry: false
    case .elements, .linkingObjects: true
    }
  }
}

/// A place in a list.
public enum Position: Hashable, Sendable {
  /// Counted from 0.
  case at(Int)
  case last
}

extension KeyPath {
  /// What a path reads of the objects that it arrives at. A `property` is a position in their class.
  public enum End: Hashable, Sendable {
    /// The object itself; the path has hops.
    case object
    /// The object key of a class without primary key: `_key`.
    case key
    /// A property that is not a collection.
    case value(property: Int)
    /// A mixed property, and a way into the collections nested in it.
    case nested(property: Int, [Step])
    /// All values of a list, set or map that does not hold objects.
    case elements(property: Int)
    /// Those values, and a way into the collections nested in each: a list or map of mixed values only.
    case nestedElements(property: Int, [Step])
    /// One value of a list, and a way into what is nested in it.
    case element(property: Int, at: Position, [Step])
    /// One value of a map, and a way into what is nested in it; null where a map with entries lacks the key,
    /// no value where the map is empty.
    case entry(property: Int, key: String, [Step])
    /// The keys of a map, of values or objects.
    case keys(property: Int)

    /// Whether it can yield any number of values for one object.
    public var isToMany: Bool {
      switch self {
      case .object, .key, .value: false
      case .elements, .nestedElements, .keys: true
      case .nested(_, let steps), .element(_, _, let steps), .entry(_, _, let steps):
        steps.contains { $0.isToMany }
      }
    }
  }

  /// One step into a mixed value.
  public enum Step: Hashable, Sendable {
    /// An element of a list.
    case position(Position)
    /// An entry of a dictionary, or a property of the object that a link leads to.
    case key(String)
    /// Every element of a list, every value of a dictionary.
    case all
    /// The keys of a dictionary.
    case keys

    /// Whether it can yield any number of values.
    public var isToMany: Bool {
      switch self {
      case .position, .key: false
      case .all, .keys: true
      }
    }
  }
}
