import Model
import Query

extension Predicate {
  /// The ways to all other objects that the predicate looks at. Links inside mixed values are not among them.
  func ways(from type: ObjectType, in schema: Schema) throws(SubscriptionError) -> [Way] {
    var ways: [Way] = []
    try add(to: &ways, WayFinder(type, in: schema))
    return ways
  }

  fileprivate func add(to ways: inout [Way], _ start: WayFinder) throws(SubscriptionError) {
    switch self {
    case .all(let predicates), .any(let predicates):
      for predicate in predicates { try predicate.add(to: &ways, start) }
    case .not(let predicate): try predicate.add(to: &ways, start)
    case .comparison(let comparison):
      try comparison.left.add(to: &ways, start)
      try comparison.right.add(to: &ways, start)
    case .fullText(let path, _), .within(let path, _, _): _ = try path.add(to: &ways, start)
    }
  }
}

extension Operand {
  fileprivate func add(to ways: inout [Way], _ start: WayFinder) throws(SubscriptionError) {
    switch self {
    case .constant, .list: break
    case .path(let path), .count(of: let path), .size(of: let path), .type(of: let path),
      .elementAggregate(_, let path), .targetAggregate(_, let path):
      _ = try path.add(to: &ways, start)
    case .subquery(let subquery):
      try subquery.predicate.add(to: &ways, try subquery.path.add(to: &ways, start))
    case .incomingLinks(let path, let hops):
      for hop in hops { _ = try path.following(hop).add(to: &ways, start) }
    case .arithmetic(let left, _, let right):
      try left.add(to: &ways, start)
      try right.add(to: &ways, start)
    }
  }
}

extension KeyPath {
  /// Returns where the path's hops lead.
  fileprivate func add(to ways: inout [Way], _ start: WayFinder) throws(SubscriptionError) -> WayFinder {
    var finder = start
    for hop in hops {
      let count = finder.steps.count
      let isFollowed =
        switch hop.route {
        case .link(let property), .elements(let property), .element(let property, _), .entry(let property, _):
          finder.follow(property)
        case .linkingObjects(let source, let property): finder.followBack(to: source, property)
        }
      guard isFollowed else { throw .unwatchableFilter }
      let way = Way(steps: finder.steps, properties: nil)
      if finder.steps.count > count, !ways.contains(way) { ways.append(way) }
    }
    return finder
  }
}
