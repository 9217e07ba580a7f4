import GatehouseQuery

/// The part of an object that events show.
struct Shape: Hashable {
  /// Nil: every stored property.
  let projection: Projection?
  let showsValues: Bool
}
