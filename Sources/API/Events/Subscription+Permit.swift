import GatehouseAccess
import GatehouseFeeds
import GatehouseModel

extension Subscription {
  /// Watches only what the caller may see. Throws ``AccessError`` where that is none of the objects.
  mutating func restrict(by permit: Permit, in schema: Schema) throws {
    rules = try permit.rules(for: scope, in: schema)
  }
}

extension Permit {
  /// Returns the rules for what of a scope may be seen; nil: everything. Throws ``AccessError`` where it is nothing.
  func rules(for scope: Subscription.Scope, in schema: Schema) throws -> SubscriptionRules? {
    if let objectType = scope.objectType {
      _ = try visibility(of: objectType)
      return seesEverything(around: objectType) ? nil : SubscriptionRules(self, in: schema)
    }
    return seesEverything ? nil : SubscriptionRules(self, in: schema)
  }
}

extension SubscriptionRules {
  fileprivate init(_ permit: Permit, in schema: Schema) {
    var classes: [String: ClassRule] = [:]
    for type in schema.objectTypes where !type.isEmbedded {
      let rights = permit[type.name]
      let condition: Condition? =
        switch rights.read {
        case .all: nil
        case .none: .never
        case .some:
          rights.restriction.map { Condition(filter: $0.filter, arguments: $0.arguments) } ?? .never
        }
      classes[type.name] = ClassRule(
        condition: condition,
        hidden: Set(rights.hidden.map { type.properties[$0].name } + rights.hiddenFields.map(\.text)))
    }
    self.init(classes)
  }
}
