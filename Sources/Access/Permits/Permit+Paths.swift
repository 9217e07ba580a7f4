public import GatehouseModel
public import GatehouseQuery

// Restricts queries and paths: whoever could filter or sort by a hidden property would learn its value.
extension Permit {
  /// Returns the plan restricted to what the caller may see. Throws ``AccessError`` where it looks at hidden properties,
  /// or none of the objects may be seen.
  public func restricted(_ plan: Plan) throws(AccessError) -> Plan {
    var plan = plan
    let permit = guarded
    try permit.requireReadable(plan.predicate)
    for clause in plan.clauses { try permit.requireReadablePaths(of: clause) }
    plan.projection = try permit.pruned(plan.projection)
    _ = try visibility(of: plan.objectType)
    return visibility.map { plan.seen(under: $0) } ?? plan
  }

  /// Checks a plan for elements of a collection that an object holds. Throws ``AccessError`` where it looks at
  /// something hidden.
  public func requireReadableElements(_ plan: Plan, of objectType: String) throws(AccessError) {
    try enterElements(objectType)
    try requireReadable(plan.predicate)
    for clause in plan.clauses { try requireReadablePaths(of: clause) }
  }

  /// Checks an aggregate over elements of a collection that an object holds. Throws ``AccessError`` where it looks at
  /// something hidden.
  public func requireReadableElements(
    _ aggregate: Aggregate, of objectType: String
  ) throws(AccessError) {
    try enterElements(objectType)
    try requireReadable(aggregate)
  }

  /// Returns the projection, of objects that another holds or links to, without hidden properties. Throws
  /// ``AccessError`` where the caller may see only some of those objects.
  public func pruned(_ projection: Projection, ofElements objectType: String) throws(AccessError)
    -> Projection
  {
    try enterElements(objectType)
    return try pruned(projection)
  }

  /// Elements that are no objects have a class that is not in the schema.
  private func enterElements(_ objectType: String) throws(AccessError) {
    if schema[objectType] != nil { try enter(objectType) }
  }

  private func requireReadablePaths(of clause: Plan.Clause) throws(AccessError) {
    switch clause {
    case .sort(let keys): for key in keys { try requireReadable(key.path) }
    case .distinct(let paths): for path in paths { try requireReadable(path) }
    case .limit: break
    }
  }

  /// Throws ``AccessError`` where the aggregate looks at something hidden.
  public func requireReadable(_ aggregate: Aggregate) throws(AccessError) {
    if case .value(_, let path) = aggregate.kind { try requireReadable(path) }
  }

  /// Throws ``AccessError`` where the predicate looks at something hidden.
  public func requireReadable(_ predicate: Predicate) throws(AccessError) {
    switch predicate {
    case .all(let parts), .any(let parts): for part in parts { try requireReadable(part) }
    case .not(let part): try requireReadable(part)
    case .unguarded: break
    case .comparison(let comparison):
      try requireReadableOperand(comparison.left)
      try requireReadableOperand(comparison.right)
    case .fullText(let path, _), .within(let path, _, _): try requireReadable(path)
    }
  }

  private func requireReadableOperand(_ operand: Operand) throws(AccessError) {
    switch operand {
    case .constant, .list: break
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      try requireReadable(path)
    case .subquery(let subquery):
      try requireReadable(subquery.path)
      try requireReadable(subquery.predicate)
    case .incomingLinks(let path, let hops):
      try requireReadable(path)
      for hop in hops { try requireReadable(path.following(hop)) }
    case .arithmetic(let left, _, let right):
      try requireReadableOperand(left)
      try requireReadableOperand(right)
    }
  }

  /// Throws ``AccessError`` where the path reads, or leads through, something hidden.
  public func requireReadable(_ path: KeyPath) throws(AccessError) {
    var objectType = path.objectType
    for hop in path.hops {
      switch hop.route {
      case .link(let property), .elements(let property), .element(let property, _),
        .entry(let property, _):
        try requireVisible(property, of: objectType)
      // The class that links here is the one arrived at.
      case .linkingObjects(let source, let property): try requireVisible(property, of: source)
      }
      try enter(hop.target)
      objectType = hop.target
    }
    try requireReadableEnd(path.end, of: objectType)
  }

  private func requireReadableEnd(_ end: KeyPath.End, of objectType: String) throws(AccessError) {
    switch end {
    case .object, .key: break
    case .function(_, let end, _): try requireReadableEnd(end, of: objectType)
    case .value(let property), .elements(let property), .keys(let property):
      try requireVisible(property, of: objectType)
    case .nested(let property, let steps), .nestedElements(let property, let steps),
      .element(let property, _, let steps), .entry(let property, _, let steps):
      try requireVisible(property, of: objectType)
      try requireReadableSteps(steps)
    }
  }

  /// Checks the steps through a mixed value, which may hold a link, so that a key leads on to a property of any
  /// object.
  private func requireReadableSteps(_ steps: [KeyPath.Step]) throws(AccessError) {
    for step in steps {
      switch step {
      case .key, .all: if !isGuarded, !seesEverything { throw .overview }
      case .position, .keys: break
      }
    }
  }

  private func requireVisible(_ property: Int, of objectType: String) throws(AccessError) {
    guard self[objectType].hidden.contains(property) else { return }
    throw .property(objectType: objectType, name: schema[objectType]?.properties[property].name ?? "")
  }

  /// Checks that a path may arrive at any object of the class.
  func enter(_ objectType: String) throws(AccessError) {
    if !isGuarded, self[objectType].read != .all { throw .path(objectType: objectType) }
  }

  /// Returns the projection without hidden properties. Throws ``AccessError`` where it shows objects of which the
  /// caller may see only some, or no property remains.
  public func pruned(_ projection: Projection) throws(AccessError) -> Projection {
    let hidden = self[projection.objectType].hidden
    let type = schema[projection.objectType]
    var fields: [Projection.Field] = []
    for field in projection.fields where !hidden.contains(field.property) {
      if case .linkingObjects(let source, let name)? = type?.properties[field.property].type {
        try enter(source)
        if let property = schema[source]?.index(of: name) { try requireVisible(property, of: source) }
      }
      guard let target = field.target else {
        fields.append(field)
        continue
      }
      try enter(target.objectType)
      fields.append(
        Projection.Field(property: field.property, name: field.name, target: try pruned(target)))
    }
    guard fields.count < projection.fields.count || fields != projection.fields else { return projection }
    guard !fields.isEmpty else {
      throw .property(
        objectType: projection.objectType,
        name: projection.fields.first.flatMap { type?.properties[$0.property].name } ?? "")
    }
    return Projection(
      objectType: projection.objectType, fields: fields, showsKey: projection.showsKey,
      isValue: projection.isValue)
  }

  /// Throws ``AccessError`` where the path into an object of the class reads, or leads through, something hidden.
  public func requireReadableValue(at path: ResourcePath, of objectType: String) throws(AccessError) {
    try lastProperty(on: path, from: objectType)
  }

  /// Returns the last property on the path, and its class. Throws ``AccessError`` where the path reads, or leads
  /// through, something hidden.
  @discardableResult
  func lastProperty(
    on path: ResourcePath, from objectType: String
  ) throws(AccessError) -> (objectType: String, property: Int)? {
    var objectType = objectType
    var last: (objectType: String, property: Int)?
    for (index, step) in path.steps.enumerated() {
      switch step {
      case .property(let property):
        if index > 0, let target = last.flatMap({ target(of: $0.property, $0.objectType) }) {
          try enter(target)
          objectType = target
        }
        try requireVisible(property, of: objectType)
        last = (objectType, property)
      case .key, .index: break
      case .nested: if !isGuarded, !seesEverything { throw .overview }
      }
    }
    return last
  }

  /// Returns the class that a link, or the elements of a collection, lead to.
  private func target(of property: Int, _ objectType: String) -> String? {
    schema[objectType]?.properties[property].type.linkTarget
  }
}
