internal import GatehouseModel

/// Comparisons.
extension Binder {
  /// Binds `left == right`, or any other relation of two values.
  mutating func comparison(
    _ left: SyntaxTree.Term, relation: SyntaxTree.Relation, _ right: SyntaxTree.Term, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let (left, right) = try sides(left, right, on: type)
    if relation.kind == .in, !right.isMany { throw .inNeedsList(offset: right.offset) }
    return try BoundComparison(left, relation: relation, right).predicate()
  }

  /// Binds both sides, that with a type of its own first, which literals on the other side take on.
  private mutating func sides(
    _ left: SyntaxTree.Term, _ right: SyntaxTree.Term, on type: ObjectType
  ) throws(QueryError) -> (BoundOperand, BoundOperand) {
    if left.isConstant {
      let second = try bound(right, hint: nil, on: type)
      let first = try bound(left, hint: second.type, on: type)
      return try BoundOperand.typed(identifying(first, beside: second), second)
    }
    let first = try bound(left, hint: nil, on: type)
    let second = try bound(right, hint: right.isConstant ? first.type : nil, on: type)
    return try BoundOperand.typed(first, identifying(second, beside: first))
  }

  /// Returns constants that are compared with the identifiers of documents. Null is an identifier like any other there, which has a value
  /// of its own in the file.
  private func identifying(_ constants: BoundOperand, beside other: BoundOperand) -> BoundOperand {
    guard let path = other.ownProperty, let type = self.constants.schema[path.objectType], type.isSchemaless,
      path.end == .value(property: type.primaryKeyIndex ?? -1)
    else { return constants }
    var identifying = constants
    switch constants.operand {
    case .constant(.value(.null)):
      identifying.operand = .constant(.value(.nullIdentifier))
      identifying.type = .mixed
    case .list(let list):
      identifying.operand = .list(list.map { $0 == .value(.null) ? .value(.nullIdentifier) : $0 })
    case .constant, .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks,
      .arithmetic:
      break
    }
    return identifying
  }

  /// Binds `value BETWEEN {low, high}`.
  mutating func between(
    _ term: SyntaxTree.Term, _ bounds: SyntaxTree.Term, offset: Int, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let (value, bounds) = try sides(term, bounds, on: type)
    if value.isConstant { throw .comparesConstants(offset: offset) }
    guard case .list(let constants) = bounds.operand, constants.count == 2 else {
      throw .betweenNeedsTwoBounds(offset: offset)
    }
    // Only for a collection of values; over links, each bound is a comparison of its own, as in realm-core.
    if value.isValueCollection && value.quantifier != .all { throw .betweenNeedsAll(offset: offset) }
    let limits = constants.map { BoundOperand(.constant($0), type: $0.elementType, offset: offset) }
    let kinds: [Token.Kind] = [.greaterOrEqual, .lessOrEqual]
    var comparisons: [Predicate] = []
    for (kind, limit) in zip(kinds, limits) {
      let relation = SyntaxTree.Relation(kind: kind, caseSensitive: true, offset: offset)
      comparisons.append(try BoundComparison(value, relation: relation, limit).predicate())
    }
    return .all(comparisons)
  }
}

extension SyntaxTree.Term {
  /// Whether it takes its type from the other side.
  var isConstant: Bool {
    switch self {
    case .literal, .argument, .list: true
    case .path, .aggregate, .subquery: false
    case .arithmetic(let left, _, let right, _): left.isConstant && right.isConstant
    }
  }
}
