public import GatehouseModel

/// A path from an object to values, bound to a schema.
///
/// It has two parts: ``hops`` lead from object to object, ``end`` says which values are read where they arrive.
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

  /// Whether it yields a function of the values that it reads.
  var endsInFunction: Bool {
    if case .function = end { true } else { false }
  }

  /// The type of what ``end`` reads, before a function of it.
  var typeRead: ElementType {
    if case .function(_, _, let type) = end { type } else { type }
  }

  /// The path to a function of each value that this one yields.
  package func applying(_ function: ValueFunction) -> KeyPath {
    KeyPath(
      objectType: objectType, hops: hops, end: .function(function, of: end, type: type),
      type: function.resultType(of: type))
  }

  /// Throws where it follows more links than SQL can be asked to.
  func checkLinks(offset: Int) throws(QueryError) {
    if hops.count > Self.orderLinkLimit { throw .tooDeep(offset: offset, limit: Self.orderLinkLimit) }
  }

  /// The class of the objects that ``end`` reads.
  public var targetType: String {
    hops.last?.target ?? objectType
  }

  /// Hashes hops and end: the type follows from them, and the class is the same for most paths that are compared.
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
    return end.isPick || end == .object && hops.last?.isPick == true
  }

  /// The path that goes on from the objects where this one ends.
  public func following(_ hop: Hop) -> KeyPath {
    KeyPath(objectType: objectType, hops: hops + [hop], end: .object, type: .object(hop.target))
  }
}

extension KeyPath {
  /// The part of a path that says which values are read of the objects that it arrives at. A `property` is a position in their class.
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
    /// The values of a list or map of mixed values, and a way into the collections nested in each.
    case nestedElements(property: Int, [Step])
    /// One value of a list, and a way into what is nested in it.
    case element(property: Int, at: Position, [Step])
    /// One value of a map, and a way into what is nested in it; null where a map with entries lacks the key,
    /// no value where the map is empty. A field of a document is null wherever it is not there.
    case entry(property: Int, key: ExactText, [Step])
    /// The keys of a map, of values or objects.
    case keys(property: Int)
    /// A function of each value that another end reads; those values have the type.
    indirect case function(ValueFunction, of: End, type: ElementType)

    /// Whether it can yield any number of values for one object.
    public var isToMany: Bool {
      switch self {
      case .object, .key, .value: false
      case .function(_, let end, _): end.isToMany
      case .elements, .nestedElements, .keys: true
      case .nested(_, let steps), .element(_, _, let steps), .entry(_, _, let steps):
        steps.contains { $0.isToMany }
      }
    }

    /// Whether it picks one value of a collection.
    fileprivate var isPick: Bool {
      switch self {
      case .nested, .element, .entry: true
      case .function(_, let end, _): end.isPick
      case .object, .key, .value, .elements, .nestedElements, .keys: false
      }
    }
  }

  /// One step into a mixed value.
  public enum Step: Hashable, Sendable {
    /// An element of a list.
    case position(Position)
    /// An entry of a dictionary, or a property of the object that a link leads to.
    case key(ExactText)
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
