/// A query bound to a schema: everything that the store needs to know to answer it.
public struct Plan: Hashable, Sendable {
  /// One step after the predicate, in the order in which they take effect.
  public enum Clause: Hashable, Sendable {
    case sort([SortKey])
    case distinct([KeyPath])
    case limit(Int)
  }

  public let objectType: String
  public var predicate: Predicate
  public var clauses: [Clause]
  /// The most objects in this page; nil: all.
  public var pageSize: Int?
  /// Where this page begins; nil: at the first object.
  public var cursor: Cursor?
  public var projection: Projection
  /// The part of other objects that may be seen; nil: all. That of the plan's own objects is in the predicate.
  public var visibility: Visibility?

  package init(
    objectType: String, predicate: Predicate, clauses: [Clause] = [], pageSize: Int? = nil,
    cursor: Cursor? = nil, projection: Projection
  ) {
    precondition(projection.objectType == objectType, "an answer shows the objects that are asked for")
    precondition(pageSize ?? 0 >= 0, "a page has no fewer objects than none")
    precondition(
      clauses.allSatisfy { if case .limit(let limit) = $0 { limit >= 0 } else { true } },
      "a limit leaves no fewer objects than none")
    self.objectType = objectType
    self.predicate = predicate
    self.clauses = clauses
    self.pageSize = pageSize
    self.cursor = cursor
    self.projection = projection
  }
}

/// One key of a SORT.
public struct SortKey: Hashable, Sendable {
  public var path: KeyPath
  public var ascending: Bool

  package init(path: KeyPath, ascending: Bool) {
    precondition(!path.isToMany, "an object is ordered by one value of each key")
    self.path = path
    self.ascending = ascending
  }
}
