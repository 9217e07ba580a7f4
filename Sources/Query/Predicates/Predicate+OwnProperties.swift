public import GatehouseModel

// Indexes in memory find the predicates that a change may concern by what they ask of an object's own properties.
extension Predicate {
  /// Returns an equality without which the predicate does not hold, and that is one of the bits: numbers of two types may
  /// be equal, and texts without their case. Nil: there is none.
  public func requiredEquality(in type: ObjectType) -> (property: Int, value: Mixed)? {
    switch self {
    case .all(let predicates): return predicates.lazy.compactMap { $0.requiredEquality(in: type) }.first
    case .comparison(let comparison):
      guard comparison.relation == .equal(caseSensitive: true),
        case (.path(let path), .constant(.value(let value))) = (comparison.left, comparison.right),
        path.hops.isEmpty, case .value(let property) = path.end,
        case .one(let element, _) = type.properties[property].type, value.isOne(of: element)
      else { return nil }
      return (property, value)
    case .unguarded(let predicate): return predicate.requiredEquality(in: type)
    case .any, .not, .fullText, .within: return nil
    }
  }

  /// Whether the predicate is an equality and nothing else.
  public var isComparison: Bool {
    switch self {
    case .comparison: true
    case .all(let predicates): predicates.count == 1 && predicates[0].isComparison
    case .unguarded(let predicate): predicate.isComparison
    case .any, .not, .fullText, .within: false
    }
  }

  /// Whether it depends on nothing but the properties of the object itself.
  public var looksAtOwnPropertiesOnly: Bool {
    switch self {
    case .all(let predicates), .any(let predicates): predicates.allSatisfy(\.looksAtOwnPropertiesOnly)
    case .not(let predicate), .unguarded(let predicate): predicate.looksAtOwnPropertiesOnly
    case .comparison(let comparison): comparison.left.isOwn && comparison.right.isOwn
    case .fullText(let path, _), .within(let path, _, _): path.isOwn
    }
  }
}

extension Operand {
  fileprivate var isOwn: Bool {
    switch self {
    case .constant, .list: true
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      path.isOwn
    case .subquery, .incomingLinks: false
    case .arithmetic(let left, _, let right): left.isOwn && right.isOwn
    }
  }
}

extension KeyPath {
  fileprivate var isOwn: Bool { hops.isEmpty && end.isOwn }
}

extension KeyPath.End {
  /// Steps into a mixed value may lead through a link.
  fileprivate var isOwn: Bool {
    switch self {
    case .object, .key, .value, .elements, .keys: true
    case .element(_, _, let steps), .entry(_, _, let steps): steps.isEmpty
    case .nested, .nestedElements: false
    case .function(_, let end, _): end.isOwn
    }
  }
}

extension Mixed {
  /// Whether equal values of the type are those with the same bits.
  fileprivate func isOne(of element: ElementType) -> Bool {
    switch (self, element) {
    case (.bool, .bool), (.int, .int), (.string, .string), (.objectID, .objectID), (.uuid, .uuid),
      (.date, .date):
      true
    default: false
    }
  }
}
