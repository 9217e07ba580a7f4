public import GatehouseModel
public import GatehouseQuery

extension Subscription {
  /// Throws what the server says to a client that asks for it.
  public func check(in schema: Schema) throws(SubscriptionError) {
    _ = try bound(in: schema)
  }

  /// Returns what the client asks of the objects of the subscription's class: its filter and its link.
  public func predicate(in schema: Schema) throws(SubscriptionError) -> Predicate {
    guard let objectType = scope.objectType else { return .always }
    return try unrestrictedPlan(of: objectType, in: schema).predicate
  }

  /// The subscription in the terms of a schema.
  func bound(in schema: Schema) throws(SubscriptionError) -> BoundSubscription {
    var bound = try boundTarget(in: schema)
    if restriction != nil, let objectType = scope.objectType {
      bound.restriction = try restricted(.always, to: objectType, in: schema)
    }
    return bound
  }

  private func boundTarget(in schema: Schema) throws(SubscriptionError) -> BoundSubscription {
    switch scope {
    case .everything:
      let filter = Filter(scope: scope, predicate: .always, dependencies: .itself, matching: [])
      return BoundSubscription(
        target: .objects(filter), shape: Shape(projection: nil, showsValues: showsValues))
    case .objectType(let name), .object(let name, _):
      let type = try type(name, in: schema)
      let plan = try plan(of: name, in: schema)
      // Only results have an order.
      guard plan.clauses.isEmpty || results != nil else { throw .clauses }
      try checkSections(of: name, in: schema)
      guard rules == nil else {
        // The query knows: one object may be seen because of many others.
        let filter = Filter(
          scope: scope, predicate: .always, dependencies: .itself, matching: [],
          queried: schema.classes(around: name))
        return BoundSubscription(target: .objects(filter), shape: shape(plan, of: type))
      }
      let filter = Filter(
        scope: scope, predicate: plan.predicate, dependencies: try dependencies(of: type, in: schema),
        matching: try plan.predicate.linkPaths(from: type, in: schema))
      return BoundSubscription(target: .objects(filter), shape: shape(plan, of: type))
    case .property(let name, let id, let segments):
      let type = try type(name, in: schema)
      let path: ResourcePath
      do throws(PathError) { path = try ResourcePath(segments, of: type, in: schema) } catch {
        throw .path(error)
      }
      var watch = PropertyWatch(type.name, id: id, path: path, segments: segments)
      watch.condition = try restricted(.always, to: type.name, in: schema)
      return try bound(watch, in: schema)
    }
  }

  private func bound(_ watch: PropertyWatch, in schema: Schema) throws(SubscriptionError) -> BoundSubscription
  {
    var watch = watch
    watch.noteTypes(in: schema)
    guard let element = watch.path.type.stored?.element, case .object(let name) = element,
      let type = schema[name]
    else {
      // Only objects have properties that could be named.
      guard keyPaths?.isEmpty ?? true, fields == nil, expand == nil else { throw .notObjects }
      return BoundSubscription(
        target: .property(watch), shape: Shape(projection: nil, showsValues: showsValues))
    }
    watch.elementType = type.isEmbedded ? nil : type.name
    watch.dependencies = try elementDependencies(of: type, watch, in: schema)
    return BoundSubscription(
      target: .property(watch), shape: shape(try unrestrictedPlan(of: name, in: schema), of: type))
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
    of type: ObjectType, _ watch: PropertyWatch, in schema: Schema
  ) throws(SubscriptionError) -> Dependencies {
    if case .one = watch.path.type, keyPaths == nil { return Dependencies.nothing }
    guard let keyPaths else { return Dependencies(around: type, in: schema) }
    return try Dependencies(keyPaths: keyPaths, of: type, in: schema)
  }

  private func dependencies(of type: ObjectType, in schema: Schema) throws(SubscriptionError) -> Dependencies
  {
    if let keyPaths { return try Dependencies(keyPaths: keyPaths, of: type, in: schema) }
    // A single object is watched by itself, as Realm has it.
    if case .object = scope { return .itself }
    if !followsLinks { return .itself }
    return Dependencies(around: type, in: schema)
  }

  private func type(_ name: String, in schema: Schema) throws(SubscriptionError) -> ObjectType {
    guard let type = schema[name], !type.isEmbedded else { throw .unknownClass(name) }
    return type
  }

  private func shape(_ plan: Plan, of type: ObjectType) -> Shape {
    let isWhole = fields == nil && expand == nil && hidden.isEmpty
    return Shape(
      projection: isWhole ? nil : shown(plan.projection, of: type), showsValues: showsValues,
      hidden: Set(hidden.compactMap(type.index)))
  }

  private func shown(_ projection: Projection, of type: ObjectType) -> Projection {
    if hidden.isEmpty { return projection }
    return Projection(
      objectType: projection.objectType,
      fields: projection.fields.filter { !hidden.contains(type.properties[$0.property].name) },
      showsKey: projection.showsKey, isValue: projection.isValue)
  }

  /// The query; results have it with its order.
  func plan(of objectType: String, in schema: Schema) throws(SubscriptionError) -> Plan {
    var plan = try unrestrictedPlan(of: objectType, in: schema)
    if let visibility = rules?.visibility(in: schema) {
      plan = plan.seen(under: visibility)
    } else {
      plan.predicate = try restricted(plan.predicate, to: objectType, in: schema)
    }
    return plan
  }

  private func restricted(
    _ predicate: Predicate, to objectType: String, in schema: Schema
  ) throws(SubscriptionError) -> Predicate {
    guard let restriction else { return predicate }
    let request = QueryRequest(filter: restriction.filter, arguments: restriction.arguments)
    do throws(QueryError) {
      return .all([try Plan(request: request, schema: schema, objectType: objectType).predicate, predicate])
    } catch {
      throw .query(error)
    }
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
