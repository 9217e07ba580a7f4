import GatehouseQuery

/// Where SQLite is to begin to look for the objects of a plan, decided by numbers that it does not have.
struct AccessPath: Hashable {
  /// Conjuncts of the predicate, by their places, whose indexes would find too many objects.
  var unused: Set<Int> = []
  /// Whether few enough objects are found to sort them, rather than to go through all of them in their order.
  var isSorting = false
  /// The number of objects that have to be looked at, about.
  var rows = 0

  /// The one that SQLite chooses.
  static let automatic = AccessPath()
}

extension Predicate {
  /// The predicates all of which must hold.
  var conjuncts: [Predicate] {
    guard case .all(let predicates) = self else { return [self] }
    return predicates.flatMap(\.conjuncts)
  }
}
