import GatehouseModel
import GatehouseQuery

extension Plan {
  /// A sentence for each thing that may have been meant otherwise.
  var hints: [String] {
    guard predicate.hasForeignPattern else { return [] }
    return ["LIKE has * for any text and ? for one character; % and _ stand for themselves, unlike in SQL."]
  }
}

extension Predicate {
  /// Whether a pattern of LIKE in it has SQL's wildcard % and none of its own.
  fileprivate var hasForeignPattern: Bool {
    switch self {
    case .all(let predicates), .any(let predicates): predicates.contains(where: \.hasForeignPattern)
    case .not(let predicate), .unguarded(let predicate): predicate.hasForeignPattern
    case .comparison(let comparison): comparison.hasForeignPattern
    case .fullText, .within: false
    }
  }
}

extension Comparison {
  fileprivate var hasForeignPattern: Bool {
    guard case .like = relation else { return [left, right].contains(where: \.hasForeignPattern) }
    guard case .constant(.value(.string(let pattern))) = right else { return false }
    return pattern.contains("%") && !pattern.contains("*") && !pattern.contains("?")
  }
}

extension Operand {
  fileprivate var hasForeignPattern: Bool {
    if case .subquery(let subquery) = self { subquery.predicate.hasForeignPattern } else { false }
  }
}
