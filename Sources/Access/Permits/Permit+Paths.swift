public import GatehouseModel
public import GatehouseQuery

// Restricts queries and paths: whoever could filter or sort by a hidden property would learn its value.
extension Permit {
  /// Returns the plan restricted to the objects that the caller may see. Throws ``AccessError`` where it looks at
  /// hidden ones.
  public func restricted(_ plan: Plan) throws(AccessError) -> Plan {
    var plan = plan
    try check(plan.predicate)
    for clause in plan.clauses { try check(clause) }
    plan.projection = try pruned(plan.projection)
    if let visible = try visibility(of: plan.objectType) { plan.predicate = .all([visible, plan.predicate]) }
    return plan
  }

  /// Checks a plan for elements of a collection that an object holds. Throws ``AccessError`` where it looks at
  /// something hidden.
  public func check(_ plan: Plan, ofElements objectType: String) throws(AccessError) {
    try enterElements(objectType)
    try check(plan.predicate)
    for clause in plan.clauses { try check(clause) }
  }

  /// Checks an aggregate over elements of a collection that an object holds. Throws ``AccessError`` where it looks at
  /// something hidden.
  public func check(_ aggregate: Aggregate, ofElements objectType: String) throws(AccessError) {
    try enterElements(objectType)
    try check(aggregate)
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

  private func check(_ clause: Plan.Clause) throws(AccessError) {
    switch clause {
    case .sort(let keys): for key in keys { try check(key.path) }
    case .distinct(let paths): for path in paths { try check(path) }
    case .limit: break
    }
  }

  /// Throws ``AccessError`` where the aggregate looks at something hidden.
  public func check(_ aggregate: Aggregate) throws(AccessError) {
    if case .value(_, let path) = aggregate.kind { try check(path) }
  }

  /// Throws ``AccessError`` where the predicate looks at something hidden.
  public func check(_ predicate: Predicate) throws(AccessError) {
    switch predicate {
    case .all(let parts), .any(let parts): for part in parts { try check(part) }
    case .not(let part): try check(part)
    case .comparison(let comparison):
      try check(comparison.left)
      try check(comparison.right)
    case .fullText(let path, _), .within(let path, _, _): try check(path)
    }
  }

  private func check(_ operand: Operand) throws(AccessError) {
    switch operand {
    case .constant, .list: break
    case .path(let path), .count(let path), .elementAggregate(_, let path), .targetAggregate(_, let path):
      try check(path)
    case .subquery(let subquery):
      try check(subquery.path)
      try check(subquery.predicate)
    case .incomingLinks(let path, let hops):
      try check(path)
      for hop in hops { try check(path.following(hop)) }
    case .arithmetic(let left, _, let right):
      try check(left)
      try check(right)
    }
  }

  /// Throws ``AccessError`` where the path reads, or leads through, something hidden.
  public func check(_ path: KeyPath) throws(AccessError) {
    var objectType = path.objectType
    for hop in path.hops {
      switch hop.route {
      case .link(let property), .elements(let property), .element(let property, _),
        .entry(let property, _):
        try check(property, of: objectType)
      // The class that links here is the one arrived at.
      case .linkingObjects(let source, let property): try check(property, of: source)
      }
      try enter(hop.target)
      objectType = hop.target
    }
    try check(path.end, of: objectType)
  }

  private func check(_ end: KeyPath.End, of objectType: String) throws(AccessError) {
    switch end {
    case .object, .key: break
    case .function(_, let end, _): try check(end, of: objectType)
    case .value(let property), .elements(let property), .keys(let property):
      try check(property, of: objectType)
    case .nested(let property, let steps), .nestedElements(let property, let steps),
      .element(let property, _, let steps), .entry(let property, _, let steps):
      try check(property, of: objectType)
      try check(steps)
    }
  }

  /// Checks the steps through a mixed value, which may hold a link, so that a key leads on to a property of any
  /// object.
  private func check(_ steps: [KeyPath.Step]) throws(AccessError) {
    for step in steps {
      switch step {
      case .key, .all: if !seesEverything { throw .overview }
      case .position, .keys: break
      }
    }
  }

  private func check(_ property: Int, of objectType: String) throws(AccessError) {
    guard self[objectType].hidden.contains(property) else { return }
    throw .property(objectType: objectType, name: schema[objectType]?.properties[property].name ?? "")
  }

  /// Checks that a path may arrive at any object of the class.
  func enter(_ objectType: String) throws(AccessError) {
    if self[objectType].read != .all { throw .path(objectType: objectType) }
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
        if let property = schema[source]?.index(of: name) { try check(property, of: source) }
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
  public func check(_ path: ResourcePath, of objectType: String) throws(AccessError) {
    try walk(path, from: objectType)
  }

  /// Returns the last property on the path, and its class.
  @discardableResult
  func walk(
    _ path: ResourcePath, from objectType: String
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
        try check(property, of: objectType)
        last = (objectType, property)
      case .key, .index: break
      case .nested: if !seesEverything { throw .overview }
      }
    }
    return last
  }

  /// Returns the class that a link, or the elements of a collection, lead to.
  private func target(of property: Int, _ objectType: String) -> String? {
    schema[objectType]?.properties[property].type.linkTarget
  }
}
