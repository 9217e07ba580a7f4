public import GatehouseModel

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
    case entry(property: Int, key: ExactText)
    /// The objects of class `objectType` whose property links here, once per link. Of a mixed property only where links
    /// are counted (``Operand/incomingLinks(to:by:)``).
    case linkingObjects(objectType: String, property: Int)
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
