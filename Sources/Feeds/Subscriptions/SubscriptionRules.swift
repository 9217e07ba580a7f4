public import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// The rules for what may be seen of each class, as RQL: the caller's permission, bound anew where the schema changes.
public struct SubscriptionRules: Hashable, Sendable {
  /// A filter that the client did not choose.
  public struct Condition: Hashable, Sendable {
    let filter: String
    let arguments: [Value]

    /// Holds for no object.
    public static let never = Condition(filter: "FALSEPREDICATE", arguments: [])

    public init(filter: String, arguments: [Value]) {
      self.filter = filter
      self.arguments = arguments
    }

    /// By the bytes of the text.
    public static func == (left: Self, right: Self) -> Bool {
      left.filter.compareBytes(right.filter) == 0 && left.arguments == right.arguments
    }
  }

  /// The rule for what may be seen of one class.
  public struct ClassRule: Hashable, Sendable {
    let condition: Condition?
    let hidden: Set<String>

    /// `condition` is that on objects, nil where all may be seen; `hidden` are the names of the properties that are not
    /// shown.
    public init(condition: Condition?, hidden: Set<String>) {
      self.condition = condition
      self.hidden = hidden
    }
  }

  private let classes: [String: ClassRule]

  /// Has the rules for classes. Of others, which there will be perhaps, nothing may be seen.
  public init(_ classes: [String: ClassRule]) {
    self.classes = classes
  }

  /// Returns the schema as the subscriber knows it.
  func knownPart(of schema: Schema) -> Schema {
    let visibility = visibility(in: schema)
    return schema.masked(hiding: visibility.hidden, fields: visibility.hiddenFields)
  }

  /// Returns the rules in the terms of a schema, where a rule that means nothing lets nothing be seen. Neither does one
  /// that hides a property which is not there: it may have another name now.
  func visibility(in schema: Schema) -> Visibility {
    var conditions: [String: Predicate] = [:]
    var hidden: [String: Set<Int>] = [:]
    var hiddenFields: [String: Set<ExactText>] = [:]
    for type in schema.objectTypes where !type.isEmbedded {
      let rule = classes[type.name]
      let properties = rule?.hidden.compactMap(type.index) ?? []
      let fields = type.fields(among: rule?.hidden ?? [])
      if !fields.isEmpty { hiddenFields[type.name] = fields }
      if let rule, properties.count + fields.count == rule.hidden.count {
        conditions[type.name] = rule.condition.map { $0.predicate(on: type.name, in: schema) ?? .never }
      } else {
        conditions[type.name] = .never
      }
      if !properties.isEmpty { hidden[type.name] = Set(properties) }
    }
    return Visibility(conditions: conditions, hidden: hidden, hiddenFields: hiddenFields, in: schema)
  }
}

extension SubscriptionRules.Condition {
  /// Returns the condition in the terms of a schema; nil where it has no meaning there.
  fileprivate func predicate(on objectType: String, in schema: Schema) -> Predicate? {
    let request = QueryRequest(filter: filter, arguments: arguments)
    return try? Plan(request: request, schema: schema, objectType: objectType).predicate
  }
}
