internal import GatehouseModel

extension BoundOperand {
  /// Makes sets of types of the strings that `@type` is compared with.
  static func typed(_ left: BoundOperand, _ right: BoundOperand) throws(QueryError) -> (
    BoundOperand, BoundOperand
  ) {
    guard left.isOfTypes || right.isOfTypes else { return (left, right) }
    return (try left.typed(), try right.typed())
  }

  private func typed() throws(QueryError) -> BoundOperand {
    var typed = self
    typed.type = nil
    switch operand {
    case .constant(let constant): typed.operand = .constant(try constant.typed(offset))
    case .list(let constants):
      var sets: [Constant] = []
      for constant in constants { sets.append(try constant.typed(offset)) }
      typed.operand = .list(sets)
    case .path where operand.yieldsTypes: break
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks, .arithmetic:
      throw .incomparable(offset: offset, left: "@type", right: type?.name ?? "null")
    }
    return typed
  }
}

extension Constant {
  /// The set of types that a name of one stands for.
  fileprivate func typed(_ offset: Int) throws(QueryError) -> Constant {
    if case .types = self { return self }
    guard case .value(.string(let name)) = self else {
      throw .incomparable(offset: offset, left: "@type", right: elementType?.name ?? "null")
    }
    guard let types = TypeSet(named: name) else { throw .unknownTypeName(offset: offset, name: name) }
    return .types(types)
  }
}
