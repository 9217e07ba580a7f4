import GatehouseModel
import GatehouseQuery

/// Which changes a subscription is told of. Those that say the same are evaluated once.
struct Filter: Hashable {
  let scope: Subscription.Scope
  let predicate: Predicate
  /// The changes that count as updates.
  let dependencies: Dependencies
  /// The ways to other objects that decide whether one matches.
  let matching: [LinkPath]
  /// Classes any of whose changes may change what is told, which is then found out by a query; empty: the filter is
  /// evaluated for each change.
  var queried: Set<String> = []

  /// The class; nil: all.
  var objectType: String? { scope.objectType }

  /// The classes of other objects whose changes are of interest.
  var distantTypes: Set<String> {
    Set(dependencies.linkPaths.map(\.end)).union(matching.map(\.end))
  }

  /// The classes whose objects are looked at.
  var visitedTypes: Set<String> {
    var types = queried
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

  /// Returns the outcome of a change; nil: none. `matched` says whether the object did, where that is known already.
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
