internal import Model

/// Comparisons (reference: realm-core's `EqualityNode`, `RelationalNode`, `StringOpsNode`,
/// `query_expression.hpp` `ValueBase::compare`).
extension Binder {
  mutating func comparison(
    _ left: SyntaxTree.Term, _ relation: SyntaxTree.Relation, _ right: SyntaxTree.Term, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let (left, right) = try sides(left, right, on: type)
    if relation.kind == .in, !right.isMany { throw .inNeedsList(offset: right.offset) }
    return try predicate(left, relation, right)
  }

  /// Binds both sides, that with a type of its own first, which literals on the other side take on.
  private mutating func sides(
    _ left: SyntaxTree.Term, _ right: SyntaxTree.Term, on type: ObjectType
  ) throws(QueryError) -> (BoundOperand, BoundOperand) {
    if left.isConstant {
      let second = try bound(right, hint: nil, on: type)
      let first = try bound(left, hint: second.type, on: type)
      return try typed(first, second)
    }
    let first = try bound(left, hint: nil, on: type)
    let second = try bound(right, hint: right.isConstant ? first.type : nil, on: type)
    return try typed(first, second)
  }

  /// Makes sets of types of the strings that `@type` is compared with.
  private func typed(_ left: BoundOperand, _ right: BoundOperand) throws(QueryError) -> (
    BoundOperand, BoundOperand
  ) {
    guard left.isOfTypes || right.isOfTypes else { return (left, right) }
    return (try types(left), try types(right))
  }

  private func types(_ bound: BoundOperand) throws(QueryError) -> BoundOperand {
    var typed = bound
    typed.type = nil
    switch bound.operand {
    case .constant(let constant): typed.operand = .constant(try types(constant, bound.offset))
    case .list(let constants):
      var sets: [Constant] = []
      for constant in constants { sets.append(try types(constant, bound.offset)) }
      typed.operand = .list(sets)
    case .path where bound.operand.yieldsTypes: break
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks, .arithmetic:
      throw .incomparable(offset: bound.offset, left: "@type", right: bound.type?.name ?? "null")
    }
    return typed
  }

  private func types(_ constant: Constant, _ offset: Int) throws(QueryError) -> Constant {
    if case .types = constant { return constant }
    guard case .value(.string(let name)) = constant else {
      throw .incomparable(offset: offset, left: "@type", right: constant.elementType?.name ?? "null")
    }
    guard let types = TypeSet(named: name) else { throw .unknownTypeName(offset: offset, name: name) }
    return .types(types)
  }

  private func predicate(
    _ left: BoundOperand, _ relation: SyntaxTree.Relation, _ right: BoundOperand
  ) throws(QueryError) -> Predicate {
    if left.isConstant && right.isConstant { throw .comparesConstants(offset: relation.offset) }
    if left.isValueCollection && right.isValueCollection, left.quantifier == nil, right.quantifier == nil {
      throw .comparesCollections(offset: relation.offset)
    }
    let kind = Comparison.Relation(relation)
    try checkTypes(left, kind, right, relation)
    if !kind.isTextual, left.isConstant {
      return simplified(right, kind.mirrored, left, outer: .right)
    }
    // String operators evaluate the property's side as the outer loop.
    return simplified(left, kind, right, outer: left.isConstant ? .right : .left)
  }

  private func checkTypes(
    _ left: BoundOperand, _ kind: Comparison.Relation, _ right: BoundOperand, _ relation: SyntaxTree.Relation
  ) throws(QueryError) {
    if left.isOfTypes || right.isOfTypes, !kind.isEquality || !kind.isCaseSensitive {
      throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: "@type")
    }
    if kind.isTextual {
      if left.isConstant { try checkText(left, relation) }
      try checkText(right, relation)
    } else if !kind.isCaseSensitive, left.type != .mixed, right.type != .mixed {
      try checkText(left, relation)
      try checkText(right, relation)
    }
    try checkLinks(left, kind, right, relation)
    try checkLinks(right, kind, left, relation)
    guard let first = left.type, let second = right.type, !first.isComparable(with: second) else { return }
    if case .object(let expected) = first, case .object(let found) = second {
      throw .linkTypeMismatch(offset: relation.offset, expected: expected, found: found)
    }
    throw .incomparable(offset: relation.offset, left: first.name, right: second.name)
  }

  private func checkText(_ side: BoundOperand, _ relation: SyntaxTree.Relation) throws(QueryError) {
    guard let type = side.type, !type.isTextual else { return }
    throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: type.name)
  }

  private func checkLinks(
    _ side: BoundOperand, _ kind: Comparison.Relation, _ other: BoundOperand, _ relation: SyntaxTree.Relation
  ) throws(QueryError) {
    guard case .object? = side.type, case .path(let path) = side.operand else { return }
    if !kind.isEquality {
      throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: path.targetType)
    }
    if side.isMany && other.isNull { throw .notComparableWithNull(offset: relation.offset) }
  }

  mutating func between(
    _ term: SyntaxTree.Term, _ bounds: SyntaxTree.Term, offset: Int, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let (value, bounds) = try sides(term, bounds, on: type)
    if value.isConstant { throw .comparesConstants(offset: offset) }
    guard case .list(let constants) = bounds.operand, constants.count == 2 else {
      throw .betweenNeedsTwoBounds(offset: offset)
    }
    // Of a collection of values; over links, each bound is a comparison of its own, as in realm-core.
    if value.isValueCollection && value.quantifier != .all { throw .betweenNeedsAll(offset: offset) }
    let low = BoundOperand(.constant(constants[0]), type: constants[0].elementType, offset: offset)
    let high = BoundOperand(.constant(constants[1]), type: constants[1].elementType, offset: offset)
    return .all([
      try predicate(value, .init(kind: .greaterOrEqual, caseSensitive: true, offset: offset), low),
      try predicate(value, .init(kind: .lessOrEqual, caseSensitive: true, offset: offset), high),
    ])
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

extension SyntaxTree.Relation {
  /// How errors call it.
  var word: String {
    caseSensitive ? kind.rawValue : kind.rawValue + "[c]"
  }
}
