import GatehouseModel
import GatehouseQuery

extension Predicate {
  /// The ways to all other objects that the predicate looks at. Links inside mixed values are not among them.
  func linkPaths(from type: ObjectType, in schema: Schema) throws(SubscriptionError) -> [LinkPath] {
    var linkPaths: [LinkPath] = []
    try add(to: &linkPaths, LinkPathFinder(type, in: schema))
    return linkPaths
  }

  fileprivate func add(to linkPaths: inout [LinkPath], _ start: LinkPathFinder) throws(SubscriptionError) {
    switch self {
    case .all(let predicates), .any(let predicates):
      for predicate in predicates { try predicate.add(to: &linkPaths, start) }
    case .not(let predicate), .unguarded(let predicate): try predicate.add(to: &linkPaths, start)
    case .comparison(let comparison):
      try comparison.left.add(to: &linkPaths, start)
      try comparison.right.add(to: &linkPaths, start)
    case .fullText(let path, _), .within(let path, _, _): _ = try path.add(to: &linkPaths, start)
    }
  }
}

extension Operand {
  fileprivate func add(to linkPaths: inout [LinkPath], _ start: LinkPathFinder) throws(SubscriptionError) {
    switch self {
    case .constant, .list: break
    case .path(let path), .count(of: let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      _ = try path.add(to: &linkPaths, start)
    case .subquery(let subquery):
      try subquery.predicate.add(to: &linkPaths, try subquery.path.add(to: &linkPaths, start))
    case .incomingLinks(let path, let hops):
      for hop in hops { _ = try path.following(hop).add(to: &linkPaths, start) }
    case .arithmetic(let left, _, let right):
      try left.add(to: &linkPaths, start)
      try right.add(to: &linkPaths, start)
    }
  }
}

extension KeyPath {
  /// Returns where the path's hops lead.
  fileprivate func add(to linkPaths: inout [LinkPath], _ start: LinkPathFinder) throws(SubscriptionError)
    -> LinkPathFinder
  {
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
      let linkPath = LinkPath(steps: finder.steps, properties: nil)
      if finder.steps.count > count, !linkPaths.contains(linkPath) { linkPaths.append(linkPath) }
    }
    return finder
  }
}
