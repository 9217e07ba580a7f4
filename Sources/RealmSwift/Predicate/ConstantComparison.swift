internal import GatehouseModel
internal import GatehouseQuery

/// A path, and how its values must relate to a constant.
struct ConstantComparison {
  private let column: PredicateColumn
  private let relation: PredicateRelation
  private let options: StringOptions
  private let binder: PredicateBinder

  init(
    _ column: PredicateColumn, _ relation: PredicateRelation, _ options: StringOptions,
    in binder: PredicateBinder
  ) {
    self.column = column
    self.relation = relation
    self.options = options
    self.binder = binder
  }

  func predicate(with constant: PredicateConstant) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    if case .region(let region) = constant, relation == .in || relation == .equal {
      return try within(region)
    }
    try column.check(relation, options)
    switch relation {
    case .in: return try included(in: constant)
    case .between: return try between(constant)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .beginsWith, .endsWith,
      .like, .matches:
      return try related(relation, to: constant)
    }
  }

  private func related(
    _ relation: PredicateRelation, to constant: PredicateConstant
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    if case .object(let object) = constant, object.id == nil {
      return try related(relation, toUnmanaged: object)
    }
    let bound = try column.constant(constant)
    if let values = column.values, values.end == .object, values.hops.isEmpty {
      return try isSelf(bound, relation, of: values)
    }
    guard case .value(let value) = bound,
      column.type == .string || column.type == .data || column.type == .mixed
    else { return comparison(relation, bound) }
    return text(relation, value)
  }

  private func comparison(
    _ relation: PredicateRelation, _ constant: Constant
  ) -> GatehouseQuery.Predicate {
    guard let relation = Comparison.Relation(relation, options) else { return .never }
    return .comparison(
      Comparison(column.operand(options), relation: relation, .constant(constant), nan: column.nanRule))
  }

  /// Texts, for which nil is below all others, and which nothing is a part of but something.
  private func text(_ relation: PredicateRelation, _ value: Mixed) -> GatehouseQuery.Predicate {
    let folded =
      options.contains(.diacriticInsensitive)
      ? value.unaccented(caseSensitive: !options.contains(.caseInsensitive)) : value
    let comparison = comparison(relation, .value(folded))
    let isNull = self.comparison(.equal, .value(.null))
    switch relation {
    case .contains, .beginsWith, .endsWith: return value.isNothing ? .never : comparison
    case .greater where value == .null && !column.isToMany: return .not(isNull)
    case .greaterOrEqual where value == .null && !column.isToMany: return .always
    case .less where value == .null: return .never
    case .lessOrEqual where value == .null: return isNull
    case .less where column.type == .string && !column.isToMany: return .any([isNull, comparison])
    case .lessOrEqual where column.type == .string && !column.isToMany: return .any([isNull, comparison])
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between, .like, .matches:
      return comparison
    }
  }

  /// "Unmanaged or deleted objects are not equal to any managed objects"; embedded ones by what they hold.
  private func related(
    _ relation: PredicateRelation, toUnmanaged object: PredicateObject
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    _ = try column.constant(.object(object))
    guard let values = column.values, values.end == .object, !object.members.isEmpty else {
      return relation == .equal ? .never : .always
    }
    var binder = binder
    guard let root = binder.schema[column.className] else { throw .unknownClass(column.className) }
    let equal: GatehouseQuery.Predicate
    if values.isToMany, let target = binder.schema[values.targetType] {
      let condition = try binder.memberwise(object, at: PredicatePath([]), on: target)
      equal = .comparison(
        Comparison(
          .subquery(Subquery(path: values, predicate: condition)), relation: .greater,
          .constant(.value(.int(0)))))
    } else {
      equal = try binder.memberwise(object, at: column.path, on: root)
    }
    return relation == .equal ? equal : .not(equal)
  }

  /// The object itself is identified by its primary key, or by `_key`.
  private func isSelf(
    _ constant: Constant, _ relation: PredicateRelation, of values: KeyPath
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    guard let type = binder.schema[values.objectType], !type.isEmbedded else { throw .noKeyPath }
    guard case .object(_, let id) = constant else { return relation == .equal ? .never : .always }
    let end: KeyPath.End = type.primaryKeyIndex.map { .value(property: $0) } ?? .key
    let path = KeyPath(objectType: type.name, hops: [], end: end, type: id.elementType ?? .int)
    let equal = GatehouseQuery.Predicate.comparison(
      Comparison(.path(path), relation: .equal(caseSensitive: true), .constant(.value(id))))
    return relation == .equal ? equal : .not(equal)
  }
}

/// Several constants.
extension ConstantComparison {
  private func included(in constant: PredicateConstant) throws(RealmPredicateError)
    -> GatehouseQuery.Predicate
  {
    guard case .list(let elements) = constant else { throw .inNeedsArray }
    let isPlain = column.values?.end != .object || column.values?.hops.isEmpty == false
    var constants: [Constant] = []
    var others: [GatehouseQuery.Predicate] = []
    for element in elements {
      if case .object(let object) = element, object.id == nil {
        others.append(try related(.equal, toUnmanaged: object))
      } else if isPlain {
        constants.append(try column.constant(element, inList: true).unaccented(options))
      } else {
        others.append(try related(.equal, to: element))
      }
    }
    guard !constants.isEmpty, let relation = Comparison.Relation(.equal, options) else { return .any(others) }
    let included = GatehouseQuery.Predicate.comparison(
      Comparison(column.operand(options), relation: relation, .list(constants)))
    return others.isEmpty ? included : .any(others + [included])
  }

  private func between(_ constant: PredicateConstant) throws(RealmPredicateError) -> GatehouseQuery.Predicate
  {
    guard case .list(let bounds) = constant else { throw .betweenNeedsArray }
    guard bounds.count == 2 else { throw .betweenNeedsTwo }
    let (low, high) = (try column.constant(bounds[0]), try column.constant(bounds[1]))
    // A value among many lies between both, and not one above the lower and another below the upper.
    if let values = column.values, values.hasManyTargets, !values.end.isToMany, let last = values.hops.last {
      let own = KeyPath(objectType: last.target, hops: [], end: values.end, type: values.type)
      let objects = KeyPath(
        objectType: values.objectType, hops: values.hops, end: .object, type: .object(last.target))
      let condition = GatehouseQuery.Predicate.all([
        .comparison(Comparison(.path(own), relation: .greaterOrEqual, .constant(low))),
        .comparison(Comparison(.path(own), relation: .lessOrEqual, .constant(high))),
      ])
      return .comparison(
        Comparison(
          .subquery(Subquery(path: objects, predicate: condition)), relation: .greater,
          .constant(.value(.int(0)))))
    }
    return .all([comparison(.greaterOrEqual, low), comparison(.lessOrEqual, high)])
  }

  private func within(_ region: PredicateRegion) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    guard let values = column.values, values.end == .object, !values.hops.isEmpty,
      let target = binder.schema[values.targetType], target.isEmbedded, target.isGeoPoint
    else { throw .incomparable(.region(region), with: column) }
    if case .polygon(let rings) = region.region {
      if rings.reduce(0, { $0 + $1.count }) > Region.pointLimit {
        throw .region(region.text, "It has more than \(Region.pointLimit) points")
      }
      for (index, ring) in rings.enumerated() where Set(ring).count < 3 {
        throw RealmPredicateError.region(region.text, "Ring \(index) must have at least 3 different vertices")
      }
      if let ring = Region.misplacedRing(of: rings) {
        throw .region(region.text, "Ring \(ring) is not valid")
      }
    }
    return .within(values, .any, region.region)
  }
}

extension ObjectType {
  /// Whether its objects are GeoJSON's points: `type`, a string, and `coordinates`, doubles.
  fileprivate var isGeoPoint: Bool {
    guard case .one(.string, _)? = self["type"]?.type, case .list(.double, _)? = self["coordinates"]?.type
    else { return false }
    return true
  }
}

extension Mixed {
  /// Whether it is null or empty.
  fileprivate var isNothing: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .data(let bytes): bytes.isEmpty
    case .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .link, .list, .dictionary: false
    }
  }
}

extension Constant {
  fileprivate func unaccented(_ options: StringOptions) -> Constant {
    guard options.contains(.diacriticInsensitive), case .value(let value) = self else { return self }
    return .value(value.unaccented(caseSensitive: !options.contains(.caseInsensitive)))
  }
}
