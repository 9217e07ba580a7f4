public import GatehouseModel

/// The objects and properties that somebody may see: row-level security, as databases call it.
///
/// Objects that it conceals are found nowhere. A link to one reads as null, in a map and in a list of mixed values too;
/// other lists, and sets, do not have it. The conditions themselves see everything: they are the
/// operator's.
public final class Visibility: Sendable {
  /// For each class of which not all objects are seen, the condition on those that are, bound to the class.
  public let conditions: [String: Predicate]
  /// For each class some of whose properties are not seen, their positions.
  public let hidden: [String: Set<Int>]
  /// For each schemaless class some of whose fields are not seen, their names.
  public let hiddenFields: [String: Set<ExactText>]
  /// The classes with a condition.
  public let restricted: Set<String>
  /// For each embedded class of which not all objects are seen, the properties through which they are.
  package let holders: [String: [EmbeddingProperty]]
  /// The classes whose objects SQL asks about: what it depends on, whatever the conditions are.
  public let concealed: Set<String>
  /// The classes whose objects show something that may have to be concealed, with the embedded ones in them.
  private let concealing: Set<String>
  private let hash: Int

  public init(
    conditions: [String: Predicate], hidden: [String: Set<Int>],
    hiddenFields: [String: Set<ExactText>] = [:], in schema: Schema
  ) {
    precondition(
      hidden.allSatisfy { name, places in
        places.allSatisfy { schema[name]?.properties.indices.contains($0) == true }
      }, "what is hidden is a property of its class")
    self.conditions = conditions
    self.hidden = hidden
    self.hiddenFields = hiddenFields
    restricted = Set(conditions.keys)
    holders = schema.holders(concealing: restricted, hidden)
    concealed = restricted.union(holders.keys)
    concealing = schema.classes(showing: restricted, without: hidden)
    var hasher = Hasher()
    hasher.combine(conditions)
    hasher.combine(hidden)
    hasher.combine(hiddenFields)
    hash = hasher.finalize()
  }
}

extension Visibility: Hashable {
  public static func == (left: Visibility, right: Visibility) -> Bool {
    left === right
      || left.hash == right.hash && left.conditions == right.conditions && left.hidden == right.hidden
        && left.hiddenFields == right.hiddenFields
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Plan {
  /// Returns the plan for whoever has the visibility: of their objects, without hidden properties. Names of hidden
  /// properties in the predicate and the clauses are for others to refuse.
  public func seen(under visibility: Visibility) -> Plan {
    precondition(self.visibility == nil, "a plan is restricted once")
    var plan = self
    plan.visibility = visibility
    plan.projection = visibility.pruned(projection)
    if let condition = visibility.conditions[objectType] {
      plan.predicate = .all([condition.unguarded, predicate])
    }
    return plan
  }
}

extension Visibility {
  /// Returns the projection without hidden properties, at any depth.
  public func pruned(_ projection: Projection) -> Projection {
    guard !hidden.isEmpty || !hiddenFields.isEmpty else { return projection }
    let hidden = hidden[projection.objectType] ?? []
    // All that a schemaless class has beside its identifier are fields.
    let hiddenFields = hiddenFields[projection.objectType] ?? []
    let fields = projection.fields.filter { field in
      !hidden.contains(field.property) && field.key.map { !hiddenFields.contains($0) } ?? true
    }.map { field in
      Projection.Field(
        property: field.property, name: field.name, target: field.target.map(pruned), key: field.key,
        hiddenFields: hiddenFields)
    }
    return Projection(
      objectType: projection.objectType, fields: fields, showsKey: projection.showsKey,
      isValue: projection.isValue)
  }

  /// Whether what a type of properties leads to may have to be concealed. Linking objects of restricted classes as well.
  public func conceals(_ type: PropertyType) -> Bool { type.leads(to: restricted) }

  /// The visibility, if something that the projection shows may have to be concealed; else nil.
  public func needed(for projection: Projection, in schema: Schema) -> Visibility? {
    guard !restricted.isEmpty, let type = schema[projection.objectType] else { return nil }
    let isNeeded = projection.fields.contains { field in
      field.target != nil || conceals(within: type.properties[field.property].type, in: schema)
    }
    return isNeeded ? self : nil
  }

  /// Whether something of such a property may have to be concealed, inside embedded objects as well.
  public func conceals(within type: PropertyType, in schema: Schema) -> Bool {
    if conceals(type) { return true }
    guard let target = type.linkTarget, schema[target]?.isEmbedded == true else { return false }
    return conceals(inside: target)
  }

  /// Whether something that objects of the class show, with the embedded ones in them, may have to be concealed.
  public func conceals(inside objectType: String) -> Bool { concealing.contains(objectType) }
}

extension Schema {
  /// Returns the classes whose objects show a link to one of those, by themselves or in embedded objects.
  fileprivate func classes(showing targets: Set<String>, without hidden: [String: Set<Int>]) -> Set<String> {
    if targets.isEmpty { return [] }
    var found: Set<String> = []
    var count = -1
    // A class that embeds one of them is one, too.
    while count != found.count {
      count = found.count
      for type in objectTypes where !found.contains(type.name) {
        let shows = type.storedProperties.contains { index in
          let property = type.properties[index].type
          return hidden[type.name]?.contains(index) != true
            && (property.leads(to: targets) || property.embeds(oneOf: found, in: self))
        }
        if shows { found.insert(type.name) }
      }
    }
    return found
  }
}

extension PropertyType {
  /// Whether links may lead to an object of one of the classes, or come from it.
  fileprivate func leads(to classes: Set<String>) -> Bool {
    if classes.isEmpty { return false }
    switch self {
    case .linkingObjects(let source, _): return classes.contains(source)
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _):
      switch element {
      case .object(let target): return classes.contains(target)
      case .mixed: return true
      default: return false
      }
    }
  }

  fileprivate func embeds(oneOf classes: Set<String>, in schema: Schema) -> Bool {
    linkTarget.map { classes.contains($0) && schema[$0]?.isEmbedded == true } ?? false
  }
}
