public import Model

/// A path from an object to values, bound to a schema.
///
/// It has two parts: ``hops`` lead from object to object, ``end`` says what is read where they arrive.
public struct KeyPath: Hashable, Sendable {
  /// How many links a path may follow.
  public static let linkLimit = 16
  /// How many links a path may follow whose values SQL has to give: to sort by, to tell apart, to aggregate.
  public static let orderLinkLimit = 8

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

  /// Throws where it follows more links than SQL can be asked to.
  func checkLinks(offset: Int) throws(QueryError) {
    if hops.count > Self.orderLinkLimit { throw .tooDeep(offset: offset, limit: Self.orderLinkLimit) }
  }

  /// The class of the objects that ``end`` reads.
  public var targetType: String {
    hops.last?.target ?? objectType
  }

  /// The rest follows, but for the class, which is the same for most that are compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(hops)
    hasher.combine(end)
  }

  /// Whether a hop can lead to any number of objects.
  public var hasManyTargets: Bool {
    hops.contains { $0.isToMany }
  }

  /// Whether the path can yield any number of values.
  public var isToMany: Bool {
    hasManyTargets || end.isToMany
  }

  /// Whether it picks one element or entry of each of many collections. Those are values of many objects, and no
  /// collection that another could be compared with in order.
  var picksFromMany: Bool {
    guard hasManyTargets, !end.isToMany else { return false }
    switch end {
    case .nested, .element, .entry: return true
    case .object: return hops.last?.isPick ?? false
    case .key, .value, .elements, .nestedElements, .keys: return false
    }
  }

  /// The path that goes on from the objects where this one ends.
  public func following(_ hop: Hop) -> KeyPath {
    KeyPath(objectType: objectType, hops: hops + [hop], end: .object, type: .object(hop.target))
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
    /// The objects of class `objectType` whose property links here, once per link. Of a mixed property only where links
    /// are counted (``Operand/incomingLinks(to:by:)``).
    case linkingObjects(objectType: String, property: Int)

    /// By the bytes of keys, as maps have them.
    public static func == (left: Route, right: Route) -> Bool {
      switch (left, right) {
      case (.link(let left), .link(let right)), (.elements(let left), .elements(let right)): left == right
      case (.element(let left, let leftPlace), .element(let right, let rightPlace)):
        left == right && leftPlace == rightPlace
      case (.entry(let left, let leftKey), .entry(let right, let rightKey)):
        left == right && leftKey.compareBytes(rightKey) == 0
      case (.linkingObjects(let leftType, let left), .linkingObjects(let rightType, let right)):
        leftType == rightType && left == right
      default: false
      }
    }
  }

  public let route: Route
  /// The class that the hop arrives at.
  public let target: String

  package init(_ route: Route, to target: String) {
    self.route = route
    self.target = target
  }

  /// Whether it picks one object of a collection.
  package var isPick: Bool {
    switch route {
    case .element, .entry: true
    case .link, .elements, .linkingObjects: false
    }
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

    /// By the bytes of keys, as maps have them.
    public static func == (left: End, right: End) -> Bool {
      switch (left, right) {
      case (.object, .object), (.key, .key): true
      case (.value(let left), .value(let right)), (.elements(let left), .elements(let right)),
        (.keys(let left), .keys(let right)):
        left == right
      case (.nested(let left, let leftSteps), .nested(let right, let rightSteps)),
        (.nestedElements(let left, let leftSteps), .nestedElements(let right, let rightSteps)):
        left == right && leftSteps == rightSteps
      case (
        .element(let left, let leftPlace, let leftSteps), .element(let right, let rightPlace, let rightSteps)
      ):
        left == right && leftPlace == rightPlace && leftSteps == rightSteps
      case (.entry(let left, let leftKey, let leftSteps), .entry(let right, let rightKey, let rightSteps)):
        left == right && leftKey.compareBytes(rightKey) == 0 && leftSteps == rightSteps
      default: false
      }
    }

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

    /// By the bytes of keys, as dictionaries have them.
    public static func == (left: Step, right: Step) -> Bool {
      switch (left, right) {
      case (.position(let left), .position(let right)): left == right
      case (.key(let left), .key(let right)): left.compareBytes(right) == 0
      case (.all, .all), (.keys, .keys): true
      default: false
      }
    }

    /// Whether it can yield any number of values.
    public var isToMany: Bool {
      switch self {
      case .position, .key: false
      case .all, .keys: true
      }
    }
  }
}
