internal import GatehouseModel

/// TEXT.
extension Binder {
  mutating func fullText(
    _ left: SyntaxTree.Term, _ right: SyntaxTree.Term, offset: Int, on type: ObjectType
  ) throws(QueryError) -> Predicate {
    let left = try bound(left, hint: nil, on: type)
    let right = try bound(right, hint: .string, on: type)
    guard case .path(let path) = left.operand, case .value(let property) = path.end,
      try constants.objectType(path.targetType, offset: offset).properties[property].index == .fullText
    else { throw .fullTextIndexMissing(offset: offset) }
    guard case .constant(.value(.string(let text))) = right.operand else {
      throw .relationUnsupported(offset: offset, relation: "TEXT", type: right.type?.name ?? "null")
    }
    return .fullText(path, try FullTextQuery(text, offset: right.offset))
  }
}
