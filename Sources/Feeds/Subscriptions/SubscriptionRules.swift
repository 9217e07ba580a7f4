import GatehouseModel
import GatehouseQuery

/// The rules for what may be seen of each class, as RQL: the caller's permission, bound anew where the schema changes.
public struct SubscriptionRules: Hashable, Sendable {
  /// The rule for what may be seen of one class.
  public struct ClassRule: Hashable, Sendable {
    /// The condition on objects; nil: all may be seen.
    public let restriction: Subscription.Restriction?
    /// Names of the properties that are not shown.
    public let hidden: Set<String>

    public init(restriction: Subscription.Restriction?, hidden: Set<String>) {
      self.restriction = restriction
      self.hidden = hidden
    }
  }

  /// The classes of which not everything may be seen.
  public let classes: [String: ClassRule]

  public init(_ classes: [String: ClassRule]) {
    self.classes = classes
  }

  /// Returns the rules in the terms of a schema, where a rule that means nothing lets nothing be seen.
  func visibility(in schema: Schema) -> Visibility {
    var conditions: [String: Predicate] = [:]
    var hidden: [String: Set<Int>] = [:]
    for (name, rule) in classes {
      guard let type = schema[name] else { continue }
      if let restriction = rule.restriction {
        conditions[name] = restriction.predicate(on: name, in: schema) ?? .never
      }
      hidden[name] = Set(rule.hidden.compactMap(type.index))
    }
    return Visibility(conditions: conditions, hidden: hidden)
  }
}

extension Subscription.Restriction {
  /// Returns the condition in the terms of a schema; nil where it has no meaning there.
  func predicate(on objectType: String, in schema: Schema) -> Predicate? {
    let request = QueryRequest(filter: filter, arguments: arguments)
    return try? Plan(request: request, schema: schema, objectType: objectType).predicate
  }
}
