import GatehouseModel
import GatehouseQuery

/// Conjuncts that one index answers.
struct AccessCandidate {
  /// Their places among the conjuncts of the predicate.
  var places: [Int]
  var predicates: [Predicate]
  /// The property of the class whose index it is; nil: another way than a column's index.
  let property: Int?
  /// Whether they say which value the property has, so that the index has the objects in the order of keys.
  let isEqual: Bool
  /// The index of documents that answers them; nil: another does.
  var fieldIndex: ObjectType.Index?

  /// Each is a question to the file; more of them than that cost more than they save.
  private static let countLimit = 16

  /// The candidates of a plan, those of one property together; of many the first ones.
  static func all(
    of conjuncts: [Predicate], on type: ObjectType, in catalog: Catalog
  ) -> [AccessCandidate] {
    var candidates: [AccessCandidate] = []
    for (place, predicate) in conjuncts.enumerated() {
      guard
        let candidate = predicate.candidate(at: place, byFieldOf: type)
          ?? predicate.candidate(at: place, in: catalog)
      else { continue }
      let same = candidates.firstIndex {
        $0.isMerged(with: candidate)
      }
      if let same {
        candidates[same].places.append(place)
        if candidates[same].predicates.count < PredicateCompiler.lookupLimit {
          candidates[same].predicates.append(predicate)
        }
      } else if candidates.count < countLimit {
        candidates.append(candidate)
      }
    }
    return candidates
  }

  /// Whether one index answers both at once.
  private func isMerged(with other: AccessCandidate) -> Bool {
    if fieldIndex != nil { return fieldIndex == other.fieldIndex }
    return property != nil && property == other.property && !isEqual && !other.isEqual
  }
}

extension Predicate {
  /// The candidate that an index of documents is.
  fileprivate func candidate(at place: Int, byFieldOf type: ObjectType) -> AccessCandidate? {
    let index = type.indexes.first { !$0.path.isEmpty && lookup(in: $0, constants: nil) != nil }
    return index.map {
      AccessCandidate(places: [place], predicates: [self], property: nil, isEqual: false, fieldIndex: $0)
    }
  }

  fileprivate func candidate(at place: Int, in catalog: Catalog) -> AccessCandidate? {
    switch self {
    case .all, .not, .within: return nil
    case .unguarded(let predicate):
      guard let found = predicate.candidate(at: place, in: catalog) else { return nil }
      return AccessCandidate(
        places: [place], predicates: [self], property: found.property, isEqual: found.isEqual)
    case .any(let predicates):
      guard !predicates.isEmpty, predicates.count <= PredicateCompiler.lookupLimit,
        predicates.allSatisfy({ $0.candidate(at: place, in: catalog) != nil })
      else { return nil }
      return AccessCandidate(places: [place], predicates: [self], property: nil, isEqual: false)
    case .fullText(let path, let query):
      if query.included.isEmpty || path.hops.contains(where: \.isPick) { return nil }
      return AccessCandidate(places: [place], predicates: [self], property: nil, isEqual: false)
    case .comparison(let comparison):
      guard let (path, isEqual) = comparison.lookup(in: catalog) else { return nil }
      return AccessCandidate(
        places: [place], predicates: [self], property: path.column, isEqual: isEqual && path.isOneStep)
    }
  }
}

extension Comparison {
  /// The path whose values an index has, if it finds the objects, and whether they equal one constant.
  fileprivate func lookup(in catalog: Catalog) -> (path: KeyPath, isEqual: Bool)? {
    guard case .path(let path) = left, case .quantified(.any, .any, _) = matching,
      !path.hops.contains(where: \.isPick)
    else { return nil }
    switch right {
    case .constant(let constant):
      let test = ConstantTest(relation, constant, nan: nan)
      if case .object = path.end, case .constant(.object) = right {
        return test.isEqual ? (path, true) : nil
      }
      guard test.refusesNull, test.isFound(by: catalog, path) else { return nil }
      return (path, test.isEqual)
    case .list(let constants):
      guard relation == .equal(caseSensitive: true),
        catalog.isIndexed(path) || constants.allSatisfy({ $0.identifies(path, in: catalog) }),
        !constants.contains(.value(.null))
      else { return nil }
      return (path, constants.count == 1)
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks,
      .arithmetic:
      return nil
    }
  }
}

extension KeyPath {
  /// The column of the class that the path begins with, if it leads to one value only.
  fileprivate var column: Int? {
    if isToMany { return nil }
    if case .link(let property)? = hops.first?.route { return property }
    if case .value(let property) = end, hops.isEmpty { return property }
    return nil
  }

  /// Whether the column holds the value, or a link to the object that does.
  fileprivate var isOneStep: Bool {
    hops.isEmpty || hops.count == 1
  }
}
