/// Makes of a predicate on the elements of a collection the predicate of a SUBQUERY, in which a variable stands for an
/// element.
struct SubqueryRewriter {
  private let variable: String
  private var collection: String?

  private init(_ number: Int) {
    variable = "$col\(number)"
  }

  /// Returns the collection's name, the variable, and the predicate on it.
  static func rewrite(
    _ node: QueryNode, number: Int
  ) throws(RealmPredicateError) -> (collection: String, variable: String, node: QueryNode) {
    var rewriter = SubqueryRewriter(number)
    let rewritten = try rewriter.rewritten(node)
    guard let collection = rewriter.collection else {
      throw RealmPredicateError(
        "Invalid predicate", "Subqueries must contain a keypath starting with a collection.")
    }
    return (collection, rewriter.variable, rewritten)
  }

  private mutating func rewritten(_ node: QueryNode) throws(RealmPredicateError) -> QueryNode {
    switch node {
    case .keyPath(var names, let options):
      guard options.contains(.isCollection), let first = names.first else { return node }
      collection = first
      names[0] = variable
      return .keyPath(names, options: .isCollection)
    case .not(let child): return .not(try rewritten(child))
    case .comparison(let operation, let left, let right, let options):
      return .comparison(operation, try rewritten(left), try rewritten(right), options: options)
    case .between(let node, let lower, let upper):
      return .between(
        try rewritten(node), lowerBound: try rewritten(lower), upperBound: try rewritten(upper))
    case .subqueryCount(let inner): return .subqueryCount(try rewritten(inner))
    case .geoWithin(let path, let region): return .geoWithin(try rewritten(path), region)
    case .constant: return node
    case .mapSubscript, .mixedSubscript:
      throw RealmPredicateError("Invalid predicate", "Subqueries do not support map subscripts.")
    }
  }
}
