internal import GatehouseModel

extension Operand {
  /// The values for an object, in groups; types as the bits of an int.
  func values<Object: ObjectView>(of object: Object) -> [[Mixed]] {
    switch self {
    case .constant(let constant): [constant.values(beside: object)]
    case .list(let constants): [constants.flatMap { $0.values(beside: object) }]
    case .path(let path): path.values(of: object)
    case .count(let path): [path.counts(of: object)]
    case .elementAggregate(let function, let path): [path.aggregates(function, of: object)]
    case .targetAggregate(let function, let path):
      [[function.value(of: path.values(of: object).flatMap { $0 }, type: path.type)]]
    case .subquery(let subquery):
      [[.int(Int64(subquery.path.targets(of: object).count { subquery.predicate.matches($0) }))]]
    case .incomingLinks(let path, let hops):
      [
        [
          .int(
            path.targets(of: object).reduce(0) { sum, target in
              hops.reduce(sum) { $0 + Int64($1.count(of: target)) }
            })
        ]
      ]
    case .arithmetic(let left, let operation, let right):
      operation.results(left.values(of: object), right.values(of: object))
    }
  }
}

extension ArithmeticOperator {
  /// The results of each left with each right value, a group for each pair of groups.
  fileprivate func results(_ left: [[Mixed]], _ right: [[Mixed]]) -> [[Mixed]] {
    left.flatMap { left in
      right.map { right in
        left.flatMap { left in right.map { result(left, $0) } }
      }
    }
  }
}

extension Constant {
  /// An object that is not there equals nothing: -1 is no object's key.
  fileprivate func values<Object: ObjectView>(beside object: Object) -> [Mixed] {
    switch self {
    case .value(let value): return [value]
    case .object(let objectType, let primaryKey):
      let link = object.link(objectType, primaryKey: primaryKey)
      return [.link(link ?? ObjectLink(objectType: objectType, key: ObjectKey(-1)))]
    case .types(let types): return [.int(Int64(types.rawValue))]
    }
  }
}

extension KeyPath {
  /// Behind a null link there is an empty collection.
  fileprivate func counts<Object: ObjectView>(of object: Object) -> [Mixed] {
    let counts: [Int]
    let isMany: Bool
    if case .object = end, let last = hops.last {
      counts = hops.dropLast().targets(of: object).map { last.count(of: $0) }
      isMany = hops.dropLast().contains { $0.isToMany }
    } else {
      counts = targets(of: object).map { end.groups(of: $0).joined().count }
      isMany = hasManyTargets
    }
    return counts.isEmpty && !isMany ? [.int(0)] : counts.map { .int(Int64($0)) }
  }

  fileprivate func aggregates<Object: ObjectView>(_ function: AggregateFunction, of object: Object) -> [Mixed]
  {
    let groups = targets(of: object).flatMap { end.groups(of: $0) }
    if groups.isEmpty && !hasManyTargets { return [function.value(of: [], type: type)] }
    return groups.map { function.value(of: $0, type: type) }
  }
}
