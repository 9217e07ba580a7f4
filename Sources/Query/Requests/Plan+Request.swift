public import GatehouseModel

extension Plan {
  /// Reads, binds and plans a request for objects of a class.
  public init(request: QueryRequest, schema: Schema, objectType: String) throws(QueryError) {
    let tree: SyntaxTree? = if let filter = request.filter { try Parser.tree(of: filter) } else { nil }
    self = try Plan.bound(request, tree, schema: schema, objectType: objectType) {
      binder, type throws(QueryError) in try binder.parameters(of: request, on: type)
    }
  }

  /// Binds and plans a request whose filter has been read; `parameters` are bound behind it.
  ///
  /// No initializer, which would own its arguments and so copy them.
  static func bound(
    _ request: QueryRequest, _ tree: SyntaxTree?, schema: Schema, objectType: String,
    parameters: (Binder, ObjectType) throws(QueryError) -> BoundParameters
  ) throws(QueryError) -> Plan {
    var binder = Binder(schema: schema, arguments: request.arguments)
    let type = try binder.constants.objectType(objectType, offset: 0)
    var predicate = Predicate.always
    var clauses: [Clause] = []
    if let tree {
      try tree.checkArguments(request.arguments)
      predicate = try binder.predicate(tree.predicate, on: type)
      precondition(!binder.paths.isInSubquery, "a variable is known in its SUBQUERY only")
      for clause in tree.clauses { clauses.append(try binder.paths.clause(clause, on: type)) }
    }
    let parameters = try parameters(binder, type)
    let steps = clauses.isEmpty ? parameters.clauses : merged(clauses + parameters.clauses)
    try check(steps)
    return Plan(
      objectType: objectType, predicate: predicate, clauses: steps, pageSize: request.limit,
      projection: parameters.projection)
  }

  /// The steps after the predicate, and the paths of each, cost as much as they are many, however short their text
  /// is; beyond some thousands SQLite takes them no longer. Each link of a path costs as much as a path.
  private static func check(_ clauses: [Clause]) throws(QueryError) {
    if clauses.count > 32 { throw .tooManyTerms(offset: 0, limit: 32) }
    var total = 0
    for clause in clauses {
      let paths: [KeyPath] =
        switch clause {
        case .sort(let keys): keys.map(\.path)
        case .distinct(let paths): paths
        case .limit: []
        }
      if paths.count > 64 { throw .tooManyTerms(offset: 0, limit: 64) }
      total += paths.reduce(0) { $0 + 1 + $1.hops.count }
    }
    if total > 256 { throw .tooManyTerms(offset: 0, limit: 256) }
  }

  /// Says which parameter an error is about.
  static func parsing<Value>(
    _ parameter: QueryError.Parameter, _ parse: () throws(QueryError) -> Value
  ) throws(QueryError) -> Value {
    do throws(QueryError) {
      return try parse()
    } catch {
      throw .parameter(parameter, error)
    }
  }

  /// Adjacent SORTs become one, in which the last one written comes first (realm-core,
  /// `DescriptorOrdering`, `MergeMode::prepend`).
  private static func merged(_ clauses: [Clause]) -> [Clause] {
    var merged: [Clause] = []
    for clause in clauses {
      if case .sort(let keys) = clause, case .sort(let earlier)? = merged.last {
        merged[merged.count - 1] = .sort(keys + earlier)
      } else {
        merged.append(clause)
      }
    }
    return merged
  }
}
