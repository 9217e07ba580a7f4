import GatehouseModel

/// The part of a section that belongs to a page.
struct Section: Equatable {
  let key: Mixed
  /// How many objects the whole section has.
  let count: Int
  var objects: [ObjectKey]
}
