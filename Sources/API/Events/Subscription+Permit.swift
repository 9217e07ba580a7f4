import GatehouseAccess
import GatehouseFeeds
import GatehouseModel
import GatehouseQuery

extension Subscription {
  /// Watches only what the caller may see. Throws ``AccessError``, and what binding throws.
  mutating func restrict(by permit: Permit, in schema: Schema) throws {
    guard let objectType = scope.objectType else { return try permit.requireOverview() }
    _ = try permit.visibility(of: objectType)
    if (try? permit.requireOverview()) != nil { return }
    // Places, orders and paths may lead to what the caller may not see.
    if scope.isPlace || results != nil || keyPaths?.isEmpty == false { throw AccessError.overview }
    followsLinks = false
    let rights = permit[objectType]
    restriction = rights.restriction.map { Restriction(filter: $0.filter, arguments: $0.arguments) }
    try permit.requireReadable(predicate(in: schema))
    // Values of what changed are told for all properties alike.
    if showsValues, !rights.hidden.isEmpty { throw AccessError.overview }
    if let type = schema[objectType] { hidden = Set(rights.hidden.map { type.properties[$0].name }) }
    let shown = try Projection(
      FieldSelection(fields: fields, expand: expand), objectType: objectType, schema: schema)
    // A property that is hidden deeper down would have to be left out of every event.
    let whole = shown.fields.filter { !rights.hidden.contains($0.property) }
    guard try permit.pruned(shown).fields == whole else { throw AccessError.overview }
  }
}

extension Subscription.Scope {
  fileprivate var isPlace: Bool {
    if case .property = self { true } else { false }
  }
}
