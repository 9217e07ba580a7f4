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
  /// The classes with a condition: what SQL depends on, whatever the conditions are.
  public let restricted: Set<String>
  private let hash: Int

  public init(conditions: [String: Predicate], hidden: [String: Set<Int>] = [:]) {
    self.conditions = conditions
    self.hidden = hidden
    restricted = Set(conditions.keys)
    var hasher = Hasher()
    hasher.combine(conditions)
    hasher.combine(hidden)
    hash = hasher.finalize()
  }
}

extension Visibility: Hashable {
  public static func == (left: Visibility, right: Visibility) -> Bool {
    left === right
      || left.hash == right.hash && left.conditions == right.conditions && left.hidden == right.hidden
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Plan {
  /// Returns the plan for whoever has the visibility: of their objects, without hidden properties. Names of hidden
  /// properties in the predicate and the clauses are for others to refuse.
  public func seen(under visibility: Visibility) -> Plan {
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
    guard !hidden.isEmpty else { return projection }
    let hidden = hidden[projection.objectType] ?? []
    let fields = projection.fields.filter { !hidden.contains($0.property) }.map { field in
      Projection.Field(property: field.property, name: field.name, target: field.target.map(pruned))
    }
    return Projection(
      objectType: projection.objectType, fields: fields, showsKey: projection.showsKey,
      isValue: projection.isValue)
  }

  /// Whether what a type of properties leads to may have to be concealed. Linking objects of restricted classes as well.
  public func conceals(_ type: PropertyType) -> Bool {
    guard !restricted.isEmpty else { return false }
    switch type {
    case .linkingObjects(let source, _): return restricted.contains(source)
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _):
      switch element {
      case .object(let target): return restricted.contains(target)
      case .mixed: return true
      default: return false
      }
    }
  }

  /// The visibility, if something that the projection shows may have to be concealed; else nil.
  public func needed(for projection: Projection, in schema: Schema) -> Visibility? {
    guard !restricted.isEmpty, let type = schema[projection.objectType] else { return nil }
    let isNeeded = projection.fields.contains { field in
      let property = type.properties[field.property].type
      if field.target != nil || conceals(property) { return true }
      return property.linkTarget.map { schema[$0]?.isEmbedded == true && conceals(inside: $0, of: schema) }
        ?? false
    }
    return isNeeded ? self : nil
  }

  /// Whether something that objects of the class show, with the embedded ones in them, may have to be concealed.
  public func conceals(inside objectType: String, of schema: Schema) -> Bool {
    guard !restricted.isEmpty else { return false }
    var seen: Set<String> = []
    var rest = [objectType]
    while let name = rest.popLast() {
      guard seen.insert(name).inserted, let type = schema[name] else { continue }
      for index in type.storedProperties {
        let property = type.properties[index].type
        if conceals(property) { return true }
        if let target = property.linkTarget, schema[target]?.isEmbedded == true { rest.append(target) }
      }
    }
    return false
  }
}
