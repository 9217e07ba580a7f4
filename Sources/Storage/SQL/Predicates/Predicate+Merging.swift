import GatehouseModel
import GatehouseQuery

extension [Predicate] {
  /// The predicates with one IN for all equalities of one path, which an index answers at once.
  var mergingEqualities: [Predicate] {
    guard count > 1 else { return self }
    var merged: [Predicate] = []
    var places: [KeyPath: Int] = [:]
    var constants: [Int: [Constant]] = [:]
    for predicate in self {
      guard case .comparison(let comparison) = predicate, let (path, constant) = comparison.equality else {
        merged.append(predicate)
        continue
      }
      if let place = places[path] {
        constants[place, default: []].append(constant)
      } else {
        places[path] = merged.count
        constants[merged.count] = [constant]
        merged.append(predicate)
      }
    }
    for (path, place) in places {
      guard let list = constants[place], list.count > 1 else { continue }
      merged[place] = .comparison(Comparison(.path(path), relation: .equal(caseSensitive: true), .list(list)))
    }
    return merged
  }
}

extension Comparison {
  /// A path that yields one value at most, and the constant that it must equal.
  fileprivate var equality: (KeyPath, Constant)? {
    guard case .equal(caseSensitive: true) = relation, case .path(let path) = left, !path.isToMany,
      case .constant(let constant) = right, case .value(let value) = constant, !value.isNaN,
      case .quantified(.any, .any, _) = matching
    else { return nil }
    return (path, constant)
  }
}
