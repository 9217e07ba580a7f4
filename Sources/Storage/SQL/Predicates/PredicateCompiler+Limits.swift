import GatehouseQuery

/// How much of a predicate is said in SQL. What is beyond is left to the evaluator, which takes time that grows with the
/// number of conditions, and asks on its way whether it may go on.
///
/// SQLite asks nobody while it parses and plans, and plans take time by the square of the number of their conditions, or
/// worse: for 8,000 that was half a minute. Its parser has a stack of 100 symbols (`YYSTACKDEPTH`, "parser stack
/// overflow"), 10 subqueries in one another.
extension PredicateCompiler {
  /// Conditions of one statement.
  static let conditionLimit = 256
  /// Terms of one OR that indexes are used for.
  static let lookupLimit = 100
  /// Symbols on the parser's stack.
  static let depthLimit = 94

  /// Leaves out the constants of a predicate that is not said in SQL.
  mutating func passConstants(of predicate: Predicate) {
    constantCount = constantCount.map { $0 + predicate.shapedConstantCount }
  }
}

extension Predicate {
  /// How many conditions it is in SQL.
  var conditionCount: Int {
    switch self {
    case .all(let predicates): return predicates.reduce(0) { $0 + $1.conditionCount }
    case .any(let predicates):
      let count = predicates.reduce(0) { $0 + $1.conditionCount }
      if count <= PredicateCompiler.conditionLimit { return count }
      return predicates.mergingEqualities.reduce(0) { $0 + $1.conditionCount }
    case .not(let predicate): return predicate.conditionCount
    case .comparison(let comparison):
      return 1 + comparison.left.innerConditionCount + comparison.right.innerConditionCount
    case .fullText(_, let query): return query.included.count + query.excluded.count
    case .within: return 1
    case .unguarded(let predicate): return predicate.conditionCount
    }
  }

  /// How many symbols of SQL there are in one another before the next predicate inside begins, at most.
  var depth: Int {
    switch self {
    case .all, .any, .not, .within: 14
    case .unguarded(let predicate): predicate.depth
    case .comparison(let comparison): 14 + 9 * max(comparison.left.linkCount, comparison.right.linkCount)
    case .fullText(let path, _): 18 + 9 * (path.isToMany ? 1 : path.hops.count)
    }
  }
}

extension Operand {
  /// The conditions of a subquery.
  fileprivate var innerConditionCount: Int {
    if case .subquery(let subquery) = self { subquery.predicate.conditionCount } else { 0 }
  }

  /// The links that are followed in one another; those to many are joined.
  fileprivate var linkCount: Int {
    if case .path(let path) = self, !path.isToMany { path.hops.count } else { 0 }
  }
}
