import GatehouseModel
import GatehouseQuery

/// A subscription in the terms of a schema.
struct BoundSubscription {
  /// The objects or the property whose changes are told.
  enum Target {
    case objects(Filter)
    case property(PropertyWatch)

    /// The class; nil: all.
    var objectType: String? {
      switch self {
      case .objects(let filter): filter.objectType
      case .property(let watch): watch.objectType
      }
    }
  }

  let target: Target
  let shape: Shape
  /// The caller's visibility, where changes are told; nil: they may see everything.
  let rules: VisibilityDependencies?

  /// Whether other objects than the changed one decide whether a change is told, or are shown with it.
  func looksElsewhere(_ layouts: ClassLayouts) -> Bool {
    if rules != nil { return true }
    switch target {
    case .property: return true
    case .objects(let filter):
      // A predicate may ask for what links to an object without naming a path.
      return !filter.dependencies.linkPaths.isEmpty || !filter.matching.isEmpty
        || shape.projection?.showsOthers(layouts) == true
        || filter.predicate != .always
          && layouts.schema.objectTypes.contains { layouts[$0.name]?.mayLink == true }
    }
  }

  /// The classes whose objects are looked at; nil: all.
  func visitedTypes(in schema: Schema) -> Set<String>? {
    if rules != nil { return target.objectType.map(schema.classes) ?? Set(schema.objectTypes.map(\.name)) }
    let shown = shape.projection?.visitedTypes ?? []
    switch target {
    case .objects(let filter):
      return filter.scope == .everything ? nil : withMembers(filter.visitedTypes.union(shown), in: schema)
    case .property(let watch): return withMembers(watch.visitedTypes.union(shown), in: schema)
    }
  }

  /// The members of sets of links are in the order of their keys.
  private func withMembers(_ types: Set<String>, in schema: Schema) -> Set<String> {
    types.reduce(into: types) { all, name in
      for property in schema[name]?.properties ?? [] {
        if case .set(.object(let target), _) = property.type { all.insert(target) }
      }
    }
  }
}

extension Projection {
  /// Whether it shows other objects with an object, or what links to it.
  fileprivate func showsOthers(_ layouts: ClassLayouts) -> Bool {
    fields.contains { field in
      field.target != nil || layouts[objectType]?.objectType.properties[field.property].type.stored == nil
    }
  }

  fileprivate var visitedTypes: Set<String> {
    fields.reduce(into: [objectType]) { $0.formUnion($1.target?.visitedTypes ?? []) }
  }
}
