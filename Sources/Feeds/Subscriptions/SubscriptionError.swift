public import Query

/// Why something cannot be watched.
public enum SubscriptionError: Error, Hashable, Sendable {
  /// The schema has no such class, or its objects are embedded.
  case unknownClass(String)
  /// The filter, `fields` or `expand` is refused.
  case query(QueryError)
  /// The filter ends in SORT, DISTINCT or LIMIT: events have no such order.
  case clauses
}
