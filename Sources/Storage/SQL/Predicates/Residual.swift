import GatehouseQuery

/// A predicate that a statement leaves to the evaluator.
struct Residual {
  let predicate: Predicate
  let table: TableLayout
  /// Whether it sees only what the visibility lets it, if there is one.
  let isGuarded: Bool
}
