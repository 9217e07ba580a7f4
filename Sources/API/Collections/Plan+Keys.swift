import GatehouseModel
import GatehouseQuery

extension Plan {
  /// The plan of those of its objects that have one of these keys.
  func restricted(to keys: some Sequence<ObjectKey>) -> Plan {
    let path = KeyPath(objectType: objectType, hops: [], end: .key, type: .int)
    let condition = Comparison(
      .path(path), relation: .equal(caseSensitive: true), .list(keys.map { .value(.int($0.value)) }))
    var plan = self
    plan.predicate = .all([.comparison(condition), predicate])
    return plan
  }
}
