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

// Conditions that objects must meet are asked when they change, and so have to depend on nothing else that may.
extension Predicate {
  /// Whether it depends on nothing but an object and those embedded in it. Whether there is a link, or how many, is a part of the
  /// object.
  public func looksInsideOnly(of schema: Schema) -> Bool {
    switch self {
    case .all(let predicates), .any(let predicates): predicates.allSatisfy { $0.looksInsideOnly(of: schema) }
    case .not(let predicate), .unguarded(let predicate): predicate.looksInsideOnly(of: schema)
    case .comparison(let comparison): comparison.left.isInside(schema) && comparison.right.isInside(schema)
    case .fullText(let path, _), .within(let path, _, _): path.isInside(schema)
    }
  }

  /// The properties of the object itself with which its paths begin.
  public var firstProperties: Set<Int> {
    switch self {
    case .all(let predicates), .any(let predicates):
      predicates.reduce(into: []) { $0.formUnion($1.firstProperties) }
    case .not(let predicate), .unguarded(let predicate): predicate.firstProperties
    case .comparison(let comparison): comparison.left.firstProperties.union(comparison.right.firstProperties)
    case .fullText(let path, _), .within(let path, _, _): path.firstProperties
    }
  }
}

extension Operand {
  fileprivate func isInside(_ schema: Schema) -> Bool {
    switch self {
    case .constant(let constant): constant.isValue
    case .list(let constants): constants.allSatisfy(\.isValue)
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      path.isInside(schema)
    case .subquery(let subquery):
      subquery.path.hops.allSatisfy { $0.isInside(schema) } && subquery.predicate.looksInsideOnly(of: schema)
    case .incomingLinks: false
    case .arithmetic(let left, _, let right): left.isInside(schema) && right.isInside(schema)
    }
  }

  fileprivate var firstProperties: Set<Int> {
    switch self {
    case .constant, .list: []
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path),
      .incomingLinks(let path, _):
      path.firstProperties
    case .subquery(let subquery): subquery.path.firstProperties
    case .arithmetic(let left, _, let right): left.firstProperties.union(right.firstProperties)
    }
  }
}

extension Constant {
  /// Whether it is no object that has to be looked up.
  fileprivate var isValue: Bool {
    switch self {
    case .value, .types: true
    case .object: false
    }
  }
}

extension KeyPath {
  fileprivate func isInside(_ schema: Schema) -> Bool {
    guard let last = hops.last else { return end.isOwn }
    let isObject = end == .object && !last.comesFromElsewhere
    return hops.dropLast().allSatisfy { $0.isInside(schema) }
      && (last.isInside(schema) ? end.isOwn : isObject)
  }

  fileprivate var firstProperties: Set<Int> {
    switch hops.first?.route {
    case .link(let property), .elements(let property), .element(let property, _), .entry(let property, _):
      [property]
    case .linkingObjects: []
    case nil: end.properties
    }
  }
}

extension Hop {
  fileprivate var comesFromElsewhere: Bool {
    if case .linkingObjects = route { true } else { false }
  }

  /// Whether it leads to objects that are a part of the one that it leaves.
  fileprivate func isInside(_ schema: Schema) -> Bool {
    !comesFromElsewhere && schema[target]?.isEmbedded == true
  }
}

extension KeyPath.End {
  fileprivate var properties: Set<Int> {
    switch self {
    case .object, .key: []
    case .value(let property), .nested(let property, _), .elements(let property),
      .nestedElements(let property, _), .element(let property, _, _), .entry(let property, _, _),
      .keys(let property):
      [property]
    case .function(_, let end, _): end.properties
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
