internal import GatehouseModel

extension Plan {
  /// Whether the properties of an object and its place among others of its class say whether it matches.
  package var isOfOneClass: Bool {
    predicate.isOfOneClass
      && clauses.allSatisfy { clause in
        switch clause {
        case .sort(let keys): keys.allSatisfy(\.path.isOfOneClass)
        case .distinct(let paths): paths.allSatisfy(\.isOfOneClass)
        case .limit: true
        }
      }
  }
}

extension Predicate {
  /// The condition as a part of a plan, where it sees everything, whatever the plan's visibility is.
  public var unguarded: Predicate { isOfOneClass ? self : .unguarded(self) }

  /// Whether the properties of an object say whether it matches, whatever other objects there are and may be seen: no path
  /// leads to another object, embedded ones included, or reads a mixed value, which may be a link; no incoming links are
  /// counted, and no constant is an object.
  public var isOfOneClass: Bool {
    switch self {
    case .all(let predicates), .any(let predicates): predicates.allSatisfy(\.isOfOneClass)
    case .not(let predicate), .unguarded(let predicate): predicate.isOfOneClass
    case .comparison(let comparison): comparison.left.isOfOneClass && comparison.right.isOfOneClass
    case .fullText(let path, _), .within(let path, _, _): path.isOfOneClass
    }
  }
}

extension Operand {
  fileprivate var isOfOneClass: Bool {
    switch self {
    case .constant(let constant): !constant.isObject
    case .list(let constants): !constants.contains(where: \.isObject)
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      path.isOfOneClass
    case .subquery, .incomingLinks: false
    case .arithmetic(let left, _, let right): left.isOfOneClass && right.isOfOneClass
    }
  }
}

extension KeyPath {
  fileprivate var isOfOneClass: Bool { hops.isEmpty && typeRead != .mixed }
}

extension Constant {
  fileprivate var isObject: Bool {
    switch self {
    case .object: true
    case .value, .types: false
    }
  }
}
