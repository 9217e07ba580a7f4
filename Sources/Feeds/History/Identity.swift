import GatehouseModel

/// Names an object as clients do: the log knows no other way.
struct Identity: Hashable, Sendable {
  let objectType: String
  /// The primary key, or the object key.
  let id: Mixed
}
