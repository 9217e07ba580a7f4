public import GatehouseModel
public import GatehouseQuery

/// A read of the value or collection that a resource path leads to.
public struct PathReadRequest: Sendable {
  /// A part of a collection.
  public enum Part: String, Hashable, Sendable {
    case keys, values, count
  }

  /// Where a page of a collection begins.
  public enum Start: Hashable, Sendable {
    /// Behind that key of a map.
    case after(key: String)
    /// Behind that value of a set, as SQLite has it.
    case behind(Mixed)
    /// With the element of that number.
    case offset(Int)
  }

  /// A question about a collection, answered by one value.
  public enum Question: Sendable {
    case containsKey(String)
    case contains(DraftValue)
    case indexOf(DraftValue)
    /// The aggregates by the names that the answer has.
    case aggregate([(name: String, aggregate: Aggregate)])
  }

  public let objectType: String
  public let id: Mixed
  public let path: ResourcePath
  /// An object for which it does not hold is as good as not there; nil: all are there.
  public var condition: Predicate?
  /// The part of other objects that may be seen; nil: all.
  public var visibility: Visibility?
  /// Nil: all of a collection.
  public var only: Part?
  public var start: Start?
  /// The most elements; nil: all.
  public var limit: Int?
  /// For objects a plan of their class; for values one of the class that ``ElementView`` describes. Its order
  /// replaces the collection's.
  public var plan: Plan?
  public var question: Question?
  /// The properties to show of each object that is linked to or embedded; nil: primary keys, and all of an embedded one.
  public var projection: Projection?

  public init(objectType: String, id: Mixed, path: ResourcePath) {
    self.objectType = objectType
    self.id = id
    self.path = path
  }
}

/// The object that was read of, and where the next page begins.
public struct PathReadAnswer: Sendable {
  /// The object that a write at the place would change.
  public let owner: (objectType: String, id: Mixed)
  /// The version of its last change.
  public let version: Int64
  /// Where the next page begins.
  public let next: PathReadRequest.Start?
}
