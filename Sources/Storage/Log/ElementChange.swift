public import GatehouseModel

/// The change of one element of a list, set or map.
///
/// Without a value before, the element is new; without one after, it is gone; null is a value.
public struct ElementChange: Hashable, Sendable {
  /// Which element.
  public enum Place: Hashable, Sendable {
    /// The entry of a map.
    case key(String)
    /// An element of a list, counted when its turn comes: the changes of a list follow each other.
    case index(Int)
    /// An element of a list that goes elsewhere; counted without it, it is then at `to`.
    case move(from: Int, to: Int)
    /// The element of a set that has the value.
    case member
  }

  public let place: Place
  public let before: Mixed?
  public internal(set) var after: Mixed?

  public init(_ place: Place, before: Mixed?, after: Mixed?) {
    self.place = place
    self.before = before
    self.after = after
  }
}

/// The changes of some elements of one collection of an object.
public struct CollectionChange: Hashable, Sendable {
  /// The stored name of the property.
  public let property: String
  /// For a list one after the other; for a map or set each key or value once, in no particular order.
  public let elements: [ElementChange]

  public init(property: String, elements: [ElementChange]) {
    self.property = property
    self.elements = elements
  }
}
