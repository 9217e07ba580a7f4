internal import GatehouseModel

extension QueryNode {
  /// Returns the predicate that the text of the node would be read as, without writing and reading it.
  func syntax() throws(RealmPredicateError) -> PredicateSyntax {
    var subqueries = 0
    return try syntax(&subqueries)
  }

  private func syntax(_ subqueries: inout Int) throws(RealmPredicateError) -> PredicateSyntax {
    switch self {
    case .keyPath(let names, _): return Self.isTrue(names, true)
    case .not(.keyPath(let names, _)): return Self.isTrue(names, false)
    case .not(let child): return .not(try child.syntax(&subqueries))
    case .comparison(.and, let left, let right, _):
      return .and(try left.syntax(&subqueries), try right.syntax(&subqueries))
    case .comparison(.or, let left, let right, _):
      return .or(try left.syntax(&subqueries), try right.syntax(&subqueries))
    case .comparison(let operation, let left, let right, let options):
      if left.isCollection, right.isCollection { throw .comparesCollections }
      let modifier: PredicateComparison.Modifier? = left.requiresAny || right.requiresAny ? .any : nil
      return .comparison(
        PredicateComparison(
          left: try left.term(&subqueries), relation: operation.relation, right: try right.term(&subqueries),
          modifier: modifier, options: options))
    case .between(let node, let lower, let upper):
      return .comparison(
        PredicateComparison(
          left: try node.term(&subqueries), relation: .between,
          right: .list([try lower.term(&subqueries), try upper.term(&subqueries)]),
          modifier: node.requiresAny ? .any : nil))
    case .geoWithin(let path, let region):
      return .comparison(
        PredicateComparison(
          left: try path.term(&subqueries), relation: .in, right: .constant(PredicateConstant(region)),
          modifier: path.requiresAny ? .any : nil))
    case .constant, .subqueryCount, .mapSubscript, .mixedSubscript: throw .noKeyPath
    }
  }

  private static func isTrue(_ names: [String], _ truth: Bool) -> PredicateSyntax {
    .comparison(
      PredicateComparison(
        left: .path(path(names)), relation: .equal, right: .constant(.value(.bool(truth)))))
  }

  private func term(_ subqueries: inout Int) throws(RealmPredicateError) -> PredicateTerm {
    switch self {
    case .constant(let value): return .constant(PredicateConstant(value))
    case .subqueryCount(let inner):
      subqueries += 1
      let (collection, variable, node) = try SubqueryRewriter.rewrite(inner, number: subqueries)
      return .subquery(PredicatePath(names: [collection]), variable: variable, try node.syntax(&subqueries))
    case .keyPath, .mapSubscript, .mixedSubscript: return .path(PredicatePath(try elements()))
    case .not, .comparison, .between, .geoWithin: throw .noKeyPath
    }
  }

  private func elements() throws(RealmPredicateError) -> [PredicatePath.Element] {
    switch self {
    case .keyPath(let names, _): return Self.path(names).elements
    case .mapSubscript(let path, let key):
      guard case .value(.string(let key)) = PredicateConstant(key) else { throw .noKeyPath }
      return try path.elements() + [.key(key)]
    case .mixedSubscript(let path, let steps):
      return try path.elements()
        + steps.map { step in
          switch step {
          case .index(let index): .position(index)
          case .key(let key): .key(key)
          case .all: .all
          }
        }
    case .not, .constant, .comparison, .between, .subqueryCount, .geoWithin: throw .noKeyPath
    }
  }

  /// The element of a collection of values is `self`.
  private static func path(_ names: [String]) -> PredicatePath {
    PredicatePath(names: names.first == "self" ? Array(names.dropFirst()) : names)
  }
}

extension QueryNode.Operator {
  fileprivate var relation: PredicateRelation {
    switch self {
    case .notEqual: .notEqual
    case .lessThan: .less
    case .lessThanEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanEqual: .greaterOrEqual
    case .in: .in
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .equal, .and, .or: .equal
    }
  }
}
