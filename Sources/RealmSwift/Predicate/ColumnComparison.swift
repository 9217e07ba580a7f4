internal import GatehouseModel
internal import GatehouseQuery

/// Two paths and how their values must relate.
struct ColumnComparison {
  private let left: PredicateColumn
  private let relation: PredicateRelation
  private let right: PredicateColumn
  private let options: StringOptions

  init(
    _ left: PredicateColumn, _ relation: PredicateRelation, _ right: PredicateColumn, _ options: StringOptions
  ) {
    self.left = left
    self.relation = relation
    self.right = right
    self.options = options
  }

  func predicate() throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    if left.function == "SUBQUERY" || right.function == "SUBQUERY" { throw .subqueryCount }
    guard left.type == right.type || left.type == .mixed || right.type == .mixed else {
      throw .mismatch(left.typeName, right.typeName)
    }
    try left.check(relation, options)
    guard let relation = Comparison.Relation(relation, options) else {
      throw .unsupported(relation, for: left.typeName)
    }
    let comparison = GatehouseQuery.Predicate.comparison(
      Comparison(left.operand(options), relation: relation, right.operand(options)))
    guard self.relation.isTextual, self.relation != .like, !right.isToMany else { return comparison }
    // Nothing contains, begins or ends with nothing.
    return .all([comparison, .not(right.equals(.null)), .not(right.equals(.string("")))])
  }
}

extension PredicateColumn {
  fileprivate func equals(_ value: Mixed) -> GatehouseQuery.Predicate {
    .comparison(Comparison(operand, relation: .equal(caseSensitive: true), .constant(.value(value))))
  }

  /// The operand, of texts without diacritics where they do not count.
  func operand(_ options: StringOptions) -> Operand {
    guard options.contains(.diacriticInsensitive), let values, type == .string || type == .mixed else {
      return operand
    }
    return .path(values.applying(.unaccented(caseSensitive: !options.contains(.caseInsensitive))))
  }

  /// Throws where values of the type have no such relation.
  func check(_ relation: PredicateRelation, _ options: StringOptions) throws(RealmPredicateError) {
    guard relation.fits(type) else { throw .unsupported(relation, for: realmTypeName) }
    guard type == .string || type == .data || type == .mixed else { return }
    if !options.isEmpty, relation.isOrder { throw .caseInsensitiveOrder }
    if options.contains(.diacriticInsensitive), relation == .like { throw .diacritics(relation) }
  }

  /// Links are all of one type here.
  private var realmTypeName: String { if case .object = type { "object" } else { typeName } }
}

extension PredicateRelation {
  fileprivate var isOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
    case .equal, .notEqual, .in, .contains, .beginsWith, .endsWith, .like, .matches: false
    }
  }

  /// Whether values of the type may relate so.
  fileprivate func fits(_ type: ElementType) -> Bool {
    switch self {
    case .equal, .notEqual, .in: return true
    case .matches: return false
    case .between:
      switch type {
      case .int, .float, .double, .decimal128, .date, .mixed: return true
      case .bool, .string, .data, .objectID, .uuid, .object: return false
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      switch type {
      case .int, .float, .double, .decimal128, .date, .mixed, .string, .data: return true
      case .bool, .objectID, .uuid, .object: return false
      }
    case .contains, .beginsWith, .endsWith, .like: return type == .string || type == .data || type == .mixed
    }
  }
}

extension Comparison.Relation {
  /// The relation of the query language; nil: it has none. Where diacritics do not count, the case is folded with them.
  init?(_ relation: PredicateRelation, _ options: StringOptions) {
    let caseSensitive = options != .caseInsensitive
    switch relation {
    case .equal, .in: self = .equal(caseSensitive: caseSensitive)
    case .notEqual: self = .notEqual(caseSensitive: caseSensitive)
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .contains: self = .contains(caseSensitive: caseSensitive)
    case .beginsWith: self = .beginsWith(caseSensitive: caseSensitive)
    case .endsWith: self = .endsWith(caseSensitive: caseSensitive)
    case .like: self = .like(caseSensitive: caseSensitive)
    case .between, .matches: return nil
    }
  }
}
