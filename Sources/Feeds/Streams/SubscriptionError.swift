public import GatehouseModel
public import GatehouseQuery

/// Why something cannot be watched.
public enum SubscriptionError: Error, Hashable, Sendable {
  /// The schema has no such class, or its objects are embedded.
  case unknownClass(String)
  /// The filter, `fields` or `expand` is refused.
  case query(QueryError)
  /// The filter ends in SORT, DISTINCT or LIMIT: events have no such order.
  case clauses
  /// The filter asks for embedded objects that link to an object: whose they are is not known.
  case unwatchableFilter
  /// `keyPaths` names a property that the class does not have.
  case unknownKeyPath(String, objectType: String)
  /// `keyPaths` leads beyond a value.
  case unwatchableKeyPath(String)
  /// The path leads nowhere.
  case path(PathError)
  /// `keyPaths`, `fields` and `expand` are for objects, and there are none.
  case notObjects
}
