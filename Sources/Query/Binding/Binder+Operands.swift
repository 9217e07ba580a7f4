internal import GatehouseBSON
internal import GatehouseModel

/// Operands.
extension Binder {
  /// Gives a term its type; `hint` is the type of the other side, which literals take on.
  mutating func bound(
    _ term: SyntaxTree.Term, hint: ElementType?, on type: ObjectType
  ) throws(QueryError) -> BoundOperand {
    switch term {
    case .literal(let literal, let offset):
      let constant = try constants.constant(literal, offset, hint: hint)
      return BoundOperand(.constant(constant), type: constant.elementType, offset: offset)
    case .argument(let index, let quantifier, let offset):
      return try argument(index, quantifier: quantifier, offset: offset, hint: hint)
    case .list(let items, let quantifier, let offset):
      return try list(items, quantifier: quantifier, offset: offset, hint: hint)
    case .path(let path): return try paths.bound(path, on: type)
    case .aggregate(let path, let function, let property):
      return try aggregate(function, over: path, property: property, on: type)
    case .subquery(let path, let variable, let node, let offset):
      return try subquery(path, variable: variable, where: node, offset: offset, on: type)
    case .arithmetic(let left, let operation, let right, let offset):
      return try arithmetic(operation, of: left, and: right, offset: offset, hint: hint, on: type)
    }
  }

  private func list(
    _ items: [SyntaxTree.Term], quantifier: Quantifier?, offset: Int, hint: ElementType?
  ) throws(QueryError) -> BoundOperand {
    var constants: [Constant] = []
    constants.reserveCapacity(items.count)
    for item in items { constants.append(try self.constants.constant(item, hint: hint)) }
    return bound(constants, quantifier: quantifier, offset: offset)
  }

  private func bound(_ constants: [Constant], quantifier: Quantifier?, offset: Int) -> BoundOperand {
    let types = constants.compactMap(\.elementType)
    let type = types.first.map { first in types.allSatisfy { $0 == first } ? first : .mixed }
    return BoundOperand(.list(constants), type: type, quantifier: quantifier, isMany: true, offset: offset)
  }

  private func argument(
    _ index: Int, quantifier: Quantifier?, offset: Int, hint: ElementType?
  ) throws(QueryError) -> BoundOperand {
    let value = try constants.value(of: index, offset)
    if case .array(let items) = value {
      var constants: [Constant] = []
      for item in items {
        constants.append(try self.constants.constant(argument: index, item, offset, hint: hint))
      }
      return bound(constants, quantifier: quantifier, offset: offset)
    }
    if let quantifier { throw .quantifierWithoutList(offset: offset, quantifier: quantifier.word) }
    let constant = try constants.constant(argument: index, value, offset, hint: hint)
    return BoundOperand(.constant(constant), type: constant.elementType, offset: offset)
  }

  private func aggregate(
    _ function: AggregateFunction, over path: SyntaxTree.Path, property: SyntaxTree.Path.Name?,
    on type: ObjectType
  ) throws(QueryError) -> BoundOperand {
    let resolved = try paths.resolve(path, on: type)
    guard let property else { return try elementAggregate(function, over: resolved, offset: path.offset) }
    // A link is a list of one object, or of none (realm-core, `LinkAggrNode`).
    guard case .object = resolved.end else {
      let name = path.elements.last?.name ?? property.text
      throw .notAList(offset: path.offset, objectType: resolved.objectType, property: name)
    }
    var extended = path
    extended.elements.append(.name(property))
    let values = try paths.resolve(extended, on: type)
    guard case .value = values.end else {
      throw .aggregateUnsupported(
        offset: property.offset, function: function.word, type: values.type.name)
    }
    let result = try result(of: function, over: values.type, allowsDates: true, property.offset)
    return BoundOperand(.targetAggregate(function, values), type: result, offset: path.offset)
  }

  private func elementAggregate(
    _ function: AggregateFunction, over path: KeyPath, offset: Int
  ) throws(QueryError) -> BoundOperand {
    guard case .elements = path.end else {
      throw .aggregateUnsupported(offset: offset, function: function.word, type: path.typeRead.name)
    }
    let result = try result(of: function, over: path.type, allowsDates: false, offset)
    return BoundOperand(
      .elementAggregate(function, path), type: result, isMany: path.hasManyTargets, offset: offset)
  }

  private func result(
    of function: AggregateFunction, over type: ElementType, allowsDates: Bool, _ offset: Int
  ) throws(QueryError) -> ElementType {
    switch (type, function) {
    case (.date, .minimum) where allowsDates, (.date, .maximum) where allowsDates: return type
    case (.mixed, .minimum), (.mixed, .maximum): return type
    case (.mixed, .sum), (.mixed, .average), (.decimal128, .average): return .decimal128
    case (_, .average) where type.isNumeric: return .double
    case (.float, .sum): return .double
    case _ where type.isNumeric: return type
    default:
      throw .aggregateUnsupported(offset: offset, function: function.word, type: type.name)
    }
  }

  private mutating func subquery(
    _ path: SyntaxTree.Path, variable: String, where node: SyntaxTree.Node, offset: Int,
    on type: ObjectType
  ) throws(QueryError) -> BoundOperand {
    let resolved = try paths.resolve(path, on: type)
    guard case .object = resolved.end, resolved.hops.last?.isToMany == true else {
      let name = path.elements.last?.name ?? ""
      throw resolved.isToMany
        ? .subqueryOnValues(offset: path.offset, objectType: resolved.objectType, property: name)
        : .notAList(offset: path.offset, objectType: resolved.objectType, property: name)
    }
    let target = try constants.objectType(resolved.targetType, offset: path.offset)
    try paths.enterSubquery(variable: variable, of: target.name, offset: offset)
    let predicate = try predicate(node, on: target)
    paths.leaveSubquery()
    return BoundOperand(
      .subquery(Subquery(path: resolved, predicate: predicate)), type: .int, offset: offset)
  }

  private mutating func arithmetic(
    _ operation: ArithmeticOperator, of left: SyntaxTree.Term, and right: SyntaxTree.Term, offset: Int,
    hint: ElementType?, on type: ObjectType
  ) throws(QueryError) -> BoundOperand {
    let (left, right) = try operands(left, right, hint: hint, on: type)
    for side in [left, right] {
      if side.isNull || side.type.map({ $0.isNumeric || $0 == .mixed }) ?? false { continue }
      throw .arithmeticUnsupported(offset: offset, type: side.type?.name ?? "null")
    }
    if left.isMany && right.isMany { throw .comparesCollections(offset: offset) }
    let many = left.isMany ? left : right
    if let first = left.constants, let second = right.constants {
      let values = first.flatMap { first in
        second.map { Constant.value(operation.result(first, $0)) }
      }
      if many.isMany { return bound(values, quantifier: many.quantifier, offset: offset) }
      return BoundOperand(.constant(values[0]), type: values[0].elementType, offset: offset)
    }
    var result = BoundOperand(
      .arithmetic(left.operand, operation, right.operand), type: left.type.larger(right.type),
      quantifier: many.quantifier, isMany: many.isMany, offset: offset)
    result.isPicked = many.isPicked
    return result
  }

  /// Binds both operands, that with a type of its own first. A literal takes the type of what it is computed with, not
  /// of what the result is compared with, unless there are only literals.
  private mutating func operands(
    _ left: SyntaxTree.Term, _ right: SyntaxTree.Term, hint: ElementType?, on type: ObjectType
  ) throws(QueryError) -> (BoundOperand, BoundOperand) {
    switch (left.isConstant, right.isConstant) {
    case (true, true):
      return (try bound(left, hint: hint, on: type), try bound(right, hint: hint, on: type))
    case (true, false):
      let second = try bound(right, hint: nil, on: type)
      return (try bound(left, hint: left.hint(beside: second.type), on: type), second)
    case (false, true):
      let first = try bound(left, hint: nil, on: type)
      return (first, try bound(right, hint: right.hint(beside: first.type), on: type))
    case (false, false):
      return (try bound(left, hint: nil, on: type), try bound(right, hint: nil, on: type))
    }
  }
}

extension SyntaxTree.Term {
  /// The type that it takes on beside a number of that type: a literal says itself whether it is whole, and a string in
  /// the text of a query is no number.
  fileprivate func hint(beside type: ElementType?) -> ElementType? {
    if case .literal(.string, _) = self { return nil }
    return type == .float || type == .decimal128 ? type : nil
  }
}

extension BoundOperand {
  /// The values of a constant or list of constants; nil for anything else.
  fileprivate var constants: [Mixed]? {
    switch operand {
    case .constant(.value(let value)): [value]
    case .list(let constants):
      constants.map { if case .value(let value) = $0 { value } else { .null } }
    case .constant, .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks,
      .arithmetic:
      nil
    }
  }
}

extension SyntaxTree.Path.Element {
  var name: String? {
    if case .name(let name) = self { name.text } else { nil }
  }
}

extension ElementType? {
  /// The type of what is computed from two numbers.
  fileprivate func larger(_ other: ElementType?) -> ElementType {
    let order: [ElementType] = [.int, .float, .double, .decimal128]
    guard let left = order.firstIndex(where: { $0 == self }),
      let right = order.firstIndex(where: { $0 == other })
    else { return self == nil ? other ?? .mixed : other == nil ? self ?? .mixed : .mixed }
    return order[max(left, right)]
  }
}

extension Constant {
  var elementType: ElementType? {
    switch self {
    case .value(let value): value.elementType
    case .object(let objectType, _): .object(objectType)
    case .types: nil
    }
  }
}
