extension Predicate {
  /// Whether the object, which is of the class that the predicate is bound to, satisfies it.
  public func matches<Object: ObjectView>(_ object: Object) -> Bool {
    switch self {
    case .all(let predicates): predicates.allSatisfy { $0.matches(object) }
    case .any(let predicates): predicates.contains { $0.matches(object) }
    case .not(let predicate): !predicate.matches(object)
    case .comparison(let comparison): comparison.holds(for: object)
    case .fullText(let path, let query):
      path.values(of: object).joined().contains { query.matches($0) }
    case .within(let path, let quantifier, let region):
      region.contains(quantifier, of: path.targets(of: object))
    case .unguarded(let predicate): predicate.matches(object.unguarded)
    }
  }
}

extension Region {
  /// Whether so many of the objects lie in it. Unlike everywhere else ALL does not hold where there is nothing
  /// (realm-core, Geospatial_ListOfPrimitives).
  fileprivate func contains<Object: ObjectView>(_ quantifier: Quantifier, of objects: [Object]) -> Bool {
    let inside = objects.map { contains($0) }
    switch quantifier {
    case .any: return inside.contains(true)
    case .all: return !inside.isEmpty && !inside.contains(false)
    case .none: return !inside.contains(true)
    }
  }
}

extension Quantifier {
  /// Whether so many of the values satisfy the test.
  @inline(__always)
  func holds<Values: Sequence>(for values: Values, _ test: (Values.Element) -> Bool) -> Bool {
    switch self {
    case .any: values.contains(where: test)
    case .all: values.allSatisfy(test)
    case .none: !values.contains(where: test)
    }
  }
}
