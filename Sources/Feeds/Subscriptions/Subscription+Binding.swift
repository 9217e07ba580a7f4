public import GatehouseModel
public import GatehouseQuery

extension Subscription {
  /// Throws what the server says to a client that asks for it.
  public func check(in schema: Schema) throws(SubscriptionError) {
    _ = try bound(in: schema)
  }

  /// Returns the schema as the subscriber knows it.
  func knownPart(of schema: Schema) -> Schema { rules?.knownPart(of: schema) ?? schema }

  /// The subscription in the terms of a schema.
  func bound(in schema: Schema) throws(SubscriptionError) -> BoundSubscription {
    let (target, shape) = try boundTarget(in: knownPart(of: schema))
    var rules: VisibilityDependencies?
    if results == nil, let visibility = self.rules?.visibility(in: schema) {
      rules = try VisibilityDependencies(visibility, in: schema)
    }
    return BoundSubscription(target: target, shape: shape, rules: rules)
  }

  private func boundTarget(
    in schema: Schema
  ) throws(SubscriptionError) -> (BoundSubscription.Target, Shape) {
    switch scope {
    case .everything:
      let filter = Filter(scope: scope, predicate: .always, dependencies: .itself, matching: [])
      return (.objects(filter), Shape(projection: nil, showsValues: showsValues))
    case .objectType(let name), .object(let name, _):
      let type = try type(name, in: schema)
      let plan = try plan(of: name, in: schema)
      // Only results have an order.
      guard plan.clauses.isEmpty || results != nil else { throw .clauses }
      try checkSections(of: name, in: schema)
      let shape = shape(plan)
      guard rules == nil || results == nil else {
        // The query knows: one object may be seen because of many others.
        let filter = Filter(
          scope: scope, predicate: .always, dependencies: .itself, matching: [],
          queried: schema.classes(around: name))
        return (.objects(filter), shape)
      }
      let filter = Filter(
        scope: scope, predicate: plan.predicate, dependencies: try dependencies(of: type, plan, in: schema),
        matching: try plan.predicate.linkPaths(from: type, in: schema))
      return (.objects(filter), shape)
    case .property(let name, let id, let segments):
      let type = try type(name, in: schema)
      let path: ResourcePath
      do throws(PathError) { path = try ResourcePath(segments, of: type, in: schema) } catch {
        throw .path(error)
      }
      let watch = PropertyWatch(type.name, id: id, path: path, segments: segments)
      return try bound(watch, in: schema)
    }
  }

  private func bound(
    _ watch: PropertyWatch, in schema: Schema
  ) throws(SubscriptionError) -> (BoundSubscription.Target, Shape) {
    var watch = watch
    watch.noteTypes(in: schema)
    guard let element = watch.path.type.stored?.element, case .object(let name) = element,
      let type = schema[name]
    else {
      // Only objects have properties that could be named.
      guard keyPaths?.isEmpty ?? true, fields == nil, expand == nil else { throw .notObjects }
      return (.property(watch), Shape(projection: nil, showsValues: showsValues))
    }
    watch.elementType = type.isEmbedded ? nil : type.name
    let plan = try unrestrictedPlan(of: name, in: schema)
    watch.dependencies = try elementDependencies(of: type, watch, plan, in: schema)
    return (.property(watch), shape(plan))
  }

  private func checkSections(of objectType: String, in schema: Schema) throws(SubscriptionError) {
    guard let text = results?.sectionBy else { return }
    do throws(QueryError) { _ = try SectionKey(text, objectType: objectType, schema: schema) } catch {
      throw .query(error)
    }
  }

  /// Elements of a collection are watched like the objects of a class; a property that holds
  /// one object is a property.
  private func elementDependencies(
    of type: ObjectType, _ watch: PropertyWatch, _ plan: Plan, in schema: Schema
  ) throws(SubscriptionError) -> Dependencies {
    if case .one = watch.path.type, keyPaths == nil { return Dependencies.nothing }
    guard let keyPaths else {
      return Dependencies(around: type, in: schema).showing(plan.projection, of: type, in: schema)
    }
    return try Dependencies(keyPaths: keyPaths, of: type, in: schema)
  }

  private func dependencies(
    of type: ObjectType, _ plan: Plan, in schema: Schema
  ) throws(SubscriptionError) -> Dependencies {
    if let keyPaths { return try Dependencies(keyPaths: keyPaths, of: type, in: schema) }
    // A single object is watched by itself, as Realm has it.
    if case .object = scope { return .itself }
    var all = Dependencies(around: type, in: schema).showing(plan.projection, of: type, in: schema)
    for path in orderPaths(of: plan, in: schema) { all = all.following(path, from: type, in: schema) }
    return all
  }

  /// The paths by whose values results are put into order, and into sections.
  private func orderPaths(of plan: Plan, in schema: Schema) -> [KeyPath] {
    guard let results else { return [] }
    let paths = plan.clauses.flatMap { clause -> [KeyPath] in
      switch clause {
      case .sort(let keys): keys.map(\.path)
      case .distinct(let paths): paths
      case .limit: []
      }
    }
    guard let text = results.sectionBy,
      let section = try? SectionKey(text, objectType: plan.objectType, schema: schema)
    else { return paths }
    return paths + [section.path]
  }

  private func type(_ name: String, in schema: Schema) throws(SubscriptionError) -> ObjectType {
    guard let type = schema[name], !type.isEmbedded else { throw .unknownClass(name) }
    return type
  }

  private func shape(_ plan: Plan) -> Shape {
    let isWhole = fields == nil && expand == nil
    return Shape(projection: isWhole ? nil : plan.projection, showsValues: showsValues)
  }

  /// The query; results have it with its order, and under the rules.
  func plan(of objectType: String, in schema: Schema) throws(SubscriptionError) -> Plan {
    let plan = try unrestrictedPlan(of: objectType, in: schema)
    guard results != nil, let visibility = rules?.visibility(in: schema.whole) else { return plan }
    return plan.seen(under: visibility)
  }

  /// The query that the client asks for.
  public var request: QueryRequest {
    QueryRequest(
      filter: filter, arguments: arguments, sort: results?.sort, distinct: results?.distinct,
      limit: results?.limit, selection: FieldSelection(fields: fields, expand: expand))
  }

  private func unrestrictedPlan(
    of objectType: String, in schema: Schema
  ) throws(SubscriptionError) -> Plan {
    do throws(QueryError) {
      var plan = try Plan(request: request, schema: schema, objectType: objectType)
      if let link {
        plan.predicate = .all([try link.predicate(from: objectType, in: schema), plan.predicate])
      }
      return plan
    } catch {
      throw .query(error)
    }
  }
}

extension Subscription.Link {
  fileprivate func predicate(from name: String, in schema: Schema) throws(QueryError) -> Predicate {
    let predicate = schema[name].flatMap {
      Predicate.linking(from: $0, by: property, to: objectType, id: id)
    }
    guard let predicate else {
      throw .unknownProperty(offset: 0, objectType: name, name: property, nearest: nil)
    }
    return predicate
  }
}
