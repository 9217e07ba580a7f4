import GatehouseModel
import GatehouseQuery

extension Predicate {
  /// The ways to all other objects that the predicate looks at, also by links inside mixed values.
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
      let finder = try path.add(to: &linkPaths, start)
      for hop in hops { try finder.addIncoming(hop, to: &linkPaths) }
    case .arithmetic(let left, _, let right):
      try left.add(to: &linkPaths, start)
      try right.add(to: &linkPaths, start)
    }
  }
}

extension KeyPath {
  /// The ways to the objects that the path leads through, as far as they can be watched.
  func linkPaths(from type: ObjectType, in schema: Schema) -> [LinkPath] {
    var linkPaths: [LinkPath] = []
    _ = try? add(to: &linkPaths, LinkPathFinder(type, in: schema))
    return linkPaths
  }

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
      if finder.steps.count > count { linkPaths.add(finder.steps) }
    }
    if let (property, steps) = end.nested { finder.add(to: &linkPaths, through: steps[...], in: property) }
    return finder
  }
}

extension KeyPath.End {
  /// The property from which steps lead into mixed values; nil: none do.
  fileprivate var nested: (property: Int, steps: [KeyPath.Step])? {
    switch self {
    case .nested(let property, let steps), .nestedElements(let property, let steps),
      .element(let property, _, let steps), .entry(let property, _, let steps):
      (property, steps)
    case .function(_, let end, _): end.nested
    case .object, .key, .value, .elements, .keys: nil
    }
  }
}

extension LinkPathFinder {
  /// Adds the ways to the objects that link here, or in which objects are embedded that do.
  fileprivate func addIncoming(_ hop: Hop, to linkPaths: inout [LinkPath]) throws(SubscriptionError) {
    guard case .linkingObjects(let source, let property) = hop.route else { throw .unwatchableFilter }
    let sources = followedBack(to: source, property)
    guard isWhole else { throw .unwatchableFilter }
    for next in sources { linkPaths.add(next.steps) }
  }

  /// Adds the ways by links inside the values of a property that steps lead along: each key may be that of a property of
  /// an object of any class.
  fileprivate func add(
    to linkPaths: inout [LinkPath], through steps: ArraySlice<KeyPath.Step>, in property: Int
  ) {
    for (index, step) in zip(steps.indices, steps) {
      guard case .key(let name) = step else { continue }
      for next in targets(of: property) {
        if let fields = next.type.fieldsIndex, next.type.index(of: name.text) == nil {
          linkPaths.add(next.steps)
          next.add(to: &linkPaths, through: steps[(index + 1)...], in: fields)
          continue
        }
        guard let named = next.type.index(of: name.text) else { continue }
        linkPaths.add(next.steps)
        // Objects that link there are what they are by their own links, also where nothing of them is asked for.
        for source in next.linkingObjects(named) { linkPaths.add(source.steps) }
        next.add(to: &linkPaths, through: steps[(index + 1)...], in: named)
      }
    }
  }

  /// Returns where the objects are that a property shows which is one of linking objects.
  private func linkingObjects(_ property: Int) -> [LinkPathFinder] {
    guard case .linkingObjects(let source, let name) = type.properties[property].type,
      let index = schema[source]?.index(of: name)
    else { return [] }
    return followedBack(to: source, index)
  }

  /// Returns where the links inside the values of a property may lead, or those by which objects link here.
  private func targets(of property: Int) -> [LinkPathFinder] {
    let names: [ObjectType]
    switch type.properties[property].type.stored?.element {
    case .mixed?: names = schema.objectTypes.filter { !$0.isEmbedded }
    case .object(let name)?: names = [schema[name]].compactMap { $0 }
    default: return linkingObjects(property)
    }
    return names.map { target in
      var next = self
      next.followMixed(property, to: target)
      return next
    }
  }
}

extension [LinkPath] {
  fileprivate mutating func add(_ steps: [LinkStep]) {
    let linkPath = LinkPath(steps: steps, properties: nil)
    if !contains(linkPath) { append(linkPath) }
  }
}
