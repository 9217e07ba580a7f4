internal import GatehouseModel

/// Two bound operands and how they must relate (reference: realm-core's `EqualityNode`, `RelationalNode`,
/// `StringOpsNode`, `query_expression.hpp` `ValueBase::compare`).
struct BoundComparison {
  private let left: BoundOperand
  private let relation: SyntaxTree.Relation
  private let right: BoundOperand
  private let kind: Comparison.Relation

  init(_ left: BoundOperand, relation: SyntaxTree.Relation, _ right: BoundOperand) {
    self.left = left
    self.relation = relation
    self.right = right
    kind = Comparison.Relation(relation)
  }

  /// Returns the predicate; throws where the two sides have no such relation.
  func predicate() throws(QueryError) -> Predicate {
    if left.isConstant && right.isConstant { throw .comparesConstants(offset: relation.offset) }
    if left.isValueCollection && right.isValueCollection, left.quantifier == nil, right.quantifier == nil {
      throw .comparesCollections(offset: relation.offset)
    }
    try checkTypes()
    if !kind.isTextual, left.isConstant { return right.related(by: kind.mirrored, to: left, outer: .right) }
    // String operators evaluate the property's side as the outer loop.
    return left.related(by: kind, to: right, outer: left.isConstant ? .right : .left)
  }

  private func checkTypes() throws(QueryError) {
    if left.isOfTypes || right.isOfTypes, !kind.isEquality || !kind.isCaseSensitive {
      throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: "@type")
    }
    if kind.isTextual {
      if left.isConstant { try checkText(left) }
      try checkText(right)
    } else if !kind.isCaseSensitive, left.type != .mixed, right.type != .mixed {
      try checkText(left)
      try checkText(right)
    }
    try checkLinks(left, comparedWith: right)
    try checkLinks(right, comparedWith: left)
    guard let first = left.type, let second = right.type, !first.isComparable(with: second) else { return }
    if case .object(let expected) = first, case .object(let found) = second {
      throw .linkTypeMismatch(offset: relation.offset, expected: expected, found: found)
    }
    throw .incomparable(offset: relation.offset, left: first.name, right: second.name)
  }

  private func checkText(_ side: BoundOperand) throws(QueryError) {
    guard let type = side.type, !type.isTextual else { return }
    throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: type.name)
  }

  private func checkLinks(_ side: BoundOperand, comparedWith other: BoundOperand) throws(QueryError) {
    guard case .object? = side.type, case .path(let path) = side.operand else { return }
    if !kind.isEquality {
      throw .relationUnsupported(offset: relation.offset, relation: relation.word, type: path.targetType)
    }
    if side.isMany && other.isNull { throw .notComparableWithNull(offset: relation.offset) }
  }
}

extension SyntaxTree.Relation {
  /// How errors call it.
  var word: String {
    caseSensitive ? kind.rawValue : kind.rawValue + "[c]"
  }
}
