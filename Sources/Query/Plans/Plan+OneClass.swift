extension Plan {
  /// Whether the properties of an object and its place among others of its class say whether it matches: no path leads to
  /// another object, embedded ones included, no incoming links are counted, and no constant is an object.
  package var isOfOneClass: Bool {
    predicate.isOfOneClass
      && clauses.allSatisfy { clause in
        switch clause {
        case .sort(let keys): keys.allSatisfy { $0.path.hops.isEmpty }
        case .distinct(let paths): paths.allSatisfy { $0.hops.isEmpty }
        case .limit: true
        }
      }
  }
}

extension Predicate {
  fileprivate var isOfOneClass: Bool {
    switch self {
    case .all(let predicates), .any(let predicates): predicates.allSatisfy(\.isOfOneClass)
    case .not(let predicate): predicate.isOfOneClass
    case .comparison(let comparison): comparison.left.isOfOneClass && comparison.right.isOfOneClass
    case .fullText(let path, _), .within(let path, _, _): path.hops.isEmpty
    }
  }
}

extension Operand {
  fileprivate var isOfOneClass: Bool {
    switch self {
    case .constant(let constant): !constant.isObject
    case .list(let constants): !constants.contains(where: \.isObject)
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      path.hops.isEmpty
    case .subquery, .incomingLinks: false
    case .arithmetic(let left, _, let right): left.isOfOneClass && right.isOfOneClass
    }
  }
}

extension Constant {
  fileprivate var isObject: Bool {
    switch self {
    case .object: true
    case .value, .types: false
    }
  }
}
