extension Schema {
  /// Returns the schema with the classes and properties of `new` that it lacks: between two schemas, it has room for what
  /// objects are and for what they become. New properties that need a value may be null in it, unless they have a default; rules
  /// for values hold again when all is done.
  public func extended(by new: Schema) -> Schema {
    let extended = objectTypes.map { type in new[type.name].map { Self.extended(type, by: $0) } ?? type }
    return Schema(extended + new.objectTypes.filter { self[$0.name] == nil })
  }

  private static func extended(_ old: ObjectType, by new: ObjectType) -> ObjectType {
    let added = new.properties.filter { property in
      !old.properties.contains { $0.storedName == property.storedName || $0.name == property.name }
    }
    return ObjectType(
      name: old.name, kind: old.kind, properties: old.properties.map(\.unruled) + added.map(\.undemanding),
      primaryKey: old.primaryKey?.name, indexes: old.indexes, projections: old.projections
    ).constrained(by: ObjectType.Constraints(uniqueKeys: old.constraints.uniqueKeys))
  }
}

extension Property {
  /// The property with no rules but that for values of other objects.
  fileprivate var unruled: Property {
    guard let constraints, constraints.hasValueRules else { return self }
    return Property(
      name: name, storedName: storedName, type: type, index: index, defaultValue: defaultValue,
      constraints: constraints.withoutValueRules)
  }

  /// The property without index and rules, and with room for null where it has no default.
  fileprivate var undemanding: Property {
    guard case .one(let element, false) = type, leavesObjectsWithoutValue else {
      return Property(name: name, storedName: storedName, type: type, defaultValue: defaultValue)
    }
    return Property(name: name, storedName: storedName, type: .one(element, optional: true))
  }
}
