internal import GatehouseModel
internal import GatehouseQuery

/// Binds predicates to a schema: looks up names, gives values the type of what they stand beside, and says in the terms of
/// the query language what Realm's predicates mean (S:RLMQueryUtil.mm).
struct PredicateBinder {
  let schema: GatehouseModel.Schema
  /// The variables of the SUBQUERYs around, the innermost last.
  private var variables: [String] = []

  init(_ schema: GatehouseModel.Schema) {
    self.schema = schema
  }

  /// Returns the predicate of objects of the class.
  mutating func predicate(
    _ syntax: PredicateSyntax, on type: ObjectType
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    switch syntax {
    case .truth(let truth): return truth ? .always : .never
    case .all(let parts): return .all(try predicates(parts, on: type))
    case .any(let parts): return .any(try predicates(parts, on: type))
    case .not(let part): return .not(try predicate(part, on: type))
    case .comparison(let comparison): return try predicate(comparison, on: type)
    }
  }

  private mutating func predicates(
    _ parts: [PredicateSyntax], on type: ObjectType
  ) throws(RealmPredicateError) -> [GatehouseQuery.Predicate] {
    var predicates: [GatehouseQuery.Predicate] = []
    for part in parts { predicates.append(try predicate(part, on: type)) }
    return predicates
  }
}

/// Sides.
extension PredicateBinder {
  private enum Side {
    case constant(PredicateConstant)
    case column(PredicateColumn)
  }

  private mutating func side(_ term: PredicateTerm, on type: ObjectType) throws(RealmPredicateError) -> Side {
    if let constant = term.constant { return .constant(constant) }
    switch term {
    case .path(let path): return .column(try column(path, on: type))
    case .subquery(let path, let variable, let predicate):
      return .column(try subquery(path, variable: variable, where: predicate, on: type))
    case .constant, .list, .function: throw .noKeyPath
    }
  }

  private func column(_ path: PredicatePath, on type: ObjectType) throws(RealmPredicateError)
    -> PredicateColumn
  {
    var skipped = 0
    if case .name(let name)? = path.elements.first, name.hasPrefix("$") {
      guard name == variables.last else { throw .variable(name) }
      skipped = 1
    }
    var resolver = PredicateColumnResolver(path, skipping: skipped, on: type, in: schema)
    return try resolver.column()
  }

  private mutating func subquery(
    _ path: PredicatePath, variable: String, where syntax: PredicateSyntax, on type: ObjectType
  ) throws(RealmPredicateError) -> PredicateColumn {
    let collection = try column(path, on: type)
    guard let objects = collection.values, objects.end == .object, objects.hasManyTargets,
      let target = schema[objects.targetType]
    else { throw .notCollection("SUBQUERY") }
    variables.append(variable)
    defer { variables.removeLast() }
    let condition = try predicate(syntax, on: target)
    return PredicateColumn(
      path: path, className: type.name, operand: .subquery(Subquery(path: objects, predicate: condition)),
      values: nil, type: .int, isToMany: false, function: "SUBQUERY")
  }
}

/// Comparisons.
extension PredicateBinder {
  private mutating func predicate(
    _ comparison: PredicateComparison, on type: ObjectType
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    if comparison.modifier == .all { throw .all }
    let (relation, options) = (comparison.relation, comparison.options)
    switch (try side(comparison.left, on: type), try side(comparison.right, on: type)) {
    case (.constant, .constant): throw .noKeyPath
    case (.column(let column), .constant(let constant)):
      try check(comparison.modifier, of: [column])
      return try ConstantComparison(column, relation, options, in: self).predicate(with: constant)
    case (.constant(let constant), .column(let column)):
      if relation == .in {
        guard column.isToMany else { throw .anyOfOne }
        return try ConstantComparison(column, .equal, options, in: self).predicate(with: constant)
      }
      guard let mirrored = relation.mirrored else {
        throw relation.isTextual ? RealmPredicateError.needsKeyPathOnLeft(relation) : .noKeyPath
      }
      try check(comparison.modifier, of: [column])
      return try ConstantComparison(column, mirrored, options, in: self).predicate(with: constant)
    case (.column(let left), .column(let right)):
      if relation == .in {
        guard right.isToMany else { throw .anyOfOne }
        guard !left.isToMany else { throw .comparesCollections }
        return try ColumnComparison(left, .equal, right, options).predicate()
      }
      if left.isToMany, right.isToMany { throw .comparesCollections }
      try check(comparison.modifier, of: [left, right])
      return try ColumnComparison(left, relation, right, options).predicate()
    }
  }

  private func check(
    _ modifier: PredicateComparison.Modifier?, of columns: [PredicateColumn]
  ) throws(RealmPredicateError) {
    if modifier == nil, columns.contains(where: \.needsAny) { throw .needsAny }
    if modifier == .any, !columns.contains(where: \.isToMany) { throw .anyOfOne }
  }

  /// The conjunction of comparisons of what an embedded object holds, which no store has, with the object at a path.
  mutating func memberwise(
    _ object: PredicateObject, at path: PredicatePath, on type: ObjectType
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    var conjuncts: [GatehouseQuery.Predicate] = []
    for member in object.members {
      guard let value = member.value else { throw .memberwise(member.name, member.kind) }
      let left = PredicateTerm.path(PredicatePath(path.elements + [.name(member.name)]))
      conjuncts.append(
        try predicate(PredicateComparison(left: left, relation: .equal, right: .constant(value)), on: type))
    }
    return .all(conjuncts)
  }
}
