internal import GatehouseModel

extension Plan {
  /// Returns the objects that the predicate and the clauses leave of `objects`, which come in the order of their keys.
  public func evaluated<Object: ObjectView>(on objects: [Object]) -> [Object] {
    var result = objects.filter { predicate.matches($0) }
    for clause in clauses {
      switch clause {
      case .sort(let keys): result = keys.sorted(result)
      case .distinct(let paths): result = paths.firsts(of: result)
      case .limit(let limit): result = Array(result.prefix(limit))
      }
    }
    return result
  }
}

extension [SortKey] {
  /// Sorts stably. Null comes first ascending, but a null link on the way last (realm-core,
  /// `sort_descriptor.cpp`).
  fileprivate func sorted<Object: ObjectView>(_ objects: [Object]) -> [Object] {
    let values = objects.map { object in map { $0.path.orderValue(of: object) } }
    let order = objects.indices.sorted { left, right in
      for (key, (first, second)) in zip(self, zip(values[left], values[right])) {
        let order = Self.compare(first, second)
        if order != 0 { return (order < 0) == key.ascending }
      }
      return left < right
    }
    return order.map { objects[$0] }
  }

  private static func compare(_ left: Mixed?, _ right: Mixed?) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): 1
    case (_, nil): -1
    case (let left?, let right?): MixedOrder.sortOrder(left, right)
    }
  }
}

extension [KeyPath] {
  /// Returns the first object of each group with the same values; objects with a null link on the way are dropped.
  fileprivate func firsts<Object: ObjectView>(of objects: [Object]) -> [Object] {
    let values = objects.map { object in compactMap { $0.orderValue(of: object) } }
    let whole = objects.indices.filter { values[$0].count == count }
    // Sorted, so that what is equal stands together, the first of it in front.
    let sorted = whole.sorted { left, right in
      let order = Self.compare(values[left], values[right])
      return order == 0 ? left < right : order < 0
    }
    var firsts: [Int] = []
    for (place, index) in sorted.enumerated()
    where place == 0 || Self.compare(values[sorted[place - 1]], values[index]) != 0 {
      firsts.append(index)
    }
    return firsts.sorted().map { objects[$0] }
  }

  private static func compare(_ left: [Mixed], _ right: [Mixed]) -> Int {
    for (left, right) in zip(left, right) {
      let order = MixedOrder.sortOrder(left, right)
      if order != 0 { return order }
    }
    return 0
  }
}

extension KeyPath {
  /// Returns the one value that the path yields; nil where a link on the way is null.
  func orderValue<Object: ObjectView>(of object: Object) -> Mixed? {
    let way = end == .object ? hops.dropLast() : hops[...]
    if !way.isEmpty, way.target(of: object) == nil { return nil }
    return values(of: object).first?.first ?? .null
  }
}
