import GatehouseModel
import GatehouseQuery
import GatehouseStorage

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

  /// Whether an object in that state, which is of the class, matches; nil, one that is not there, does not.
  func matches(_ state: ObjectState?, in history: HistoricalSnapshot) -> Bool {
    guard let state else { return false }
    return predicate == .always || predicate.matches(HistoricalObject(state: state, history: history))
  }

  /// Returns the outcome for an object that did or did not match; nil: none. `operation` says what has become of it.
  func outcome(from matched: Bool, to matches: Bool, by operation: LoggedChange.Operation) -> Outcome? {
    switch (matched, matches) {
    case (false, false): nil
    case (true, true): .update
    case (false, true): operation == .insert ? .insert : .matched
    case (true, false): operation == .delete ? .delete : .unmatched
    }
  }
}
