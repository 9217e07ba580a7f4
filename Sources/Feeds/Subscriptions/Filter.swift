public import Model
import Query

/// Which changes a subscription is told of. Those that say the same are evaluated once.
struct Filter: Hashable {
  let scope: Subscription.Scope
  let predicate: Predicate
}

/// What an event shows of an object.
struct Shape: Hashable {
  /// Nil: every stored property.
  let projection: Projection?
  let showsValues: Bool
}

extension Subscription {
  /// The subscription in the terms of a schema.
  func bound(in schema: Schema) throws(SubscriptionError) -> (filter: Filter, shape: Shape) {
    guard let name = objectType else {
      return (
        Filter(scope: scope, predicate: .always), Shape(projection: nil, showsValues: showsValues)
      )
    }
    guard let type = schema[name], !type.isEmbedded else { throw .unknownClass(name) }
    let plan = try plan(of: name, in: schema)
    guard plan.clauses.isEmpty else { throw .clauses }
    let isWhole = fields == nil && expand == nil && hidden.isEmpty
    return (
      Filter(scope: scope, predicate: try restricted(plan.predicate, to: name, in: schema)),
      Shape(projection: isWhole ? nil : shown(plan.projection, of: type), showsValues: showsValues)
    )
  }

  /// Throws what the server says to a client that asks for it.
  public func check(in schema: Schema) throws(SubscriptionError) {
    _ = try bound(in: schema)
  }

  private func shown(_ projection: Projection, of type: ObjectType) -> Projection {
    if hidden.isEmpty { return projection }
    return Projection(
      objectType: projection.objectType,
      fields: projection.fields.filter { !hidden.contains(type.properties[$0.property].name) },
      showsKey: projection.showsKey, isValue: projection.isValue)
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

  private func plan(of objectType: String, in schema: Schema) throws(SubscriptionError) -> Plan {
    let request = QueryRequest(filter: filter, arguments: arguments, fields: fields, expand: expand)
    do throws(QueryError) {
      return try Plan(request: request, schema: schema, objectType: objectType)
    } catch {
      throw .query(error)
    }
  }
}
