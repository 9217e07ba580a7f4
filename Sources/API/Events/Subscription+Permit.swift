import GatehouseAccess
import GatehouseFeeds
import GatehouseModel
import GatehouseQuery

extension Subscription {
  /// Watches only what the caller may see. Throws ``AccessError``, and what binding throws.
  mutating func restrict(by permit: Permit, in schema: Schema) throws {
    guard let objectType = scope.objectType else { return try permit.requireOverview() }
    _ = try permit.visibility(of: objectType)
    if permit.seesEverything(around: objectType) { return }
    // Places and paths may lead to what the caller may not see.
    if scope.isPlace || keyPaths?.isEmpty == false { throw AccessError.overview }
    let rights = permit[objectType]
    guard results == nil else { return try restrictResults(by: permit, of: objectType, in: schema) }
    followsLinks = false
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

extension Subscription {
  /// Has the results be those of what the caller may see.
  private mutating func restrictResults(
    by permit: Permit, of objectType: String, in schema: Schema
  ) throws {
    _ = try permit.restricted(Plan(request: request, schema: schema, objectType: objectType))
    if let text = results?.sectionBy {
      let key = try SectionKey(text, objectType: objectType, schema: schema)
      try permit.guarded.requireReadable(key.path)
    }
    var rules: [String: SubscriptionRules.ClassRule] = [:]
    for type in schema.objectTypes {
      let rights = permit[type.name]
      guard !rights.isOpen else { continue }
      let restriction: Restriction? =
        switch rights.read {
        case .all: nil
        case .none: Restriction(filter: "FALSEPREDICATE", arguments: [])
        case .some:
          Restriction(
            filter: rights.restriction?.filter ?? "FALSEPREDICATE",
            arguments: rights.restriction?.arguments ?? [])
        }
      rules[type.name] = SubscriptionRules.ClassRule(
        restriction: restriction, hidden: Set(rights.hidden.map { type.properties[$0].name }))
    }
    self.rules = SubscriptionRules(rules)
  }
}

extension Subscription.Scope {
  fileprivate var isPlace: Bool {
    if case .property = self { true } else { false }
  }
}
