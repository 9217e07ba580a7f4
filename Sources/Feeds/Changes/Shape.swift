import GatehouseQuery

/// The part of an object that events show.
struct Shape: Hashable {
  /// Nil: every stored property.
  let projection: Projection?
  let showsValues: Bool
  /// Positions of the properties of which the caller is told nothing.
  var hidden: Set<Int> = []
}
