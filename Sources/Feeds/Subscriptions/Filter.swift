import GatehouseModel
import GatehouseQuery

/// Which changes a subscription is told of. Those that say the same are evaluated once.
struct Filter: Hashable {
  let scope: Subscription.Scope
  let predicate: Predicate
  /// What counts as an update.
  let dependencies: Dependencies
  /// The ways to other objects that decide whether one matches.
  let matching: [LinkPath]

  /// The class; nil: all.
  var objectType: String? { scope.objectType }

  /// The classes of other objects whose changes are of interest.
  var distantTypes: Set<String> {
    Set(dependencies.linkPaths.map(\.end)).union(matching.map(\.end))
  }

  /// The classes whose objects are looked at.
  var visitedTypes: Set<String> {
    var types: Set<String> = []
    for step in (dependencies.linkPaths + matching).flatMap(\.steps) {
      types.formUnion([step.owner, step.target])
    }
    if let objectType { types.insert(objectType) }
    return types
  }

  /// Whether the object, which is of the class, is one of those that are watched.
  func mayHave(_ identity: Identity) -> Bool {
    if case .object(_, let id) = scope { id == identity.id } else { true }
  }

  func matches(_ object: HistoricalObject) -> Bool {
    predicate == .always || predicate.matches(object)
  }

  /// What a change is; nil: nothing. `matched` says whether the object did, where that is known already.
  func outcome(_ before: HistoricalObject?, _ after: HistoricalObject?, matched known: Bool? = nil)
    -> Outcome?
  {
    let matched = known ?? before.map(matches) ?? false
    let matches = after.map(matches) ?? false
    switch (matched, matches) {
    case (false, false): return nil
    case (true, true): return .update
    case (false, true): return before == nil ? .insert : .matched
    case (true, false): return after == nil ? .delete : .unmatched
    }
  }
}

/// What an event shows of an object.
struct Shape: Hashable {
  /// Nil: every stored property.
  let projection: Projection?
  let showsValues: Bool
  /// Positions of the properties of which the caller is told nothing.
  var hidden: Set<Int> = []
}

/// A subscription in the terms of a schema.
struct BoundSubscription {
  /// What decides of which changes the subscriber is told.
  enum Target {
    case objects(Filter)
    case property(PropertyWatch)
  }

  let target: Target
  let shape: Shape
  /// What must hold of an object for the caller to see it; nil: nothing.
  var restriction: Predicate?

  /// Whether other objects than the changed one decide whether a change is told, or are shown with it.
  func looksElsewhere(_ layouts: ClassLayouts) -> Bool {
    switch target {
    case .property: true
    case .objects(let filter):
      // A predicate may ask for what links to an object without naming a path.
      !filter.dependencies.linkPaths.isEmpty || !filter.matching.isEmpty
        || shape.projection?.showsOthers(layouts) == true
        || filter.predicate != .always
          && layouts.schema.objectTypes.contains { layouts[$0.name]?.mayLink == true }
    }
  }

  /// The classes whose objects are looked at; nil: all.
  var visitedTypes: Set<String>? {
    let shown = shape.projection?.visitedTypes ?? []
    switch target {
    case .objects(let filter): return filter.scope == .everything ? nil : filter.visitedTypes.union(shown)
    case .property(let watch): return watch.visitedTypes.union(shown)
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
