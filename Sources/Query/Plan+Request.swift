public import Model

extension Plan {
  /// Reads, binds and plans a request for objects of a class.
  public init(request: QueryRequest, schema: Schema, objectType: String) throws(QueryError) {
    let tree: SyntaxTree? = if let filter = request.filter { try Parser.tree(of: filter) } else { nil }
    self = try Plan.bound(request, tree, projection: nil, schema: schema, objectType: objectType)
  }

  /// Binds and plans a request whose filter has been read, and what it shows perhaps been looked up.
  ///
  /// No initializer, which would own its arguments and so copy them.
  static func bound(
    _ request: QueryRequest, _ tree: SyntaxTree?, projection: Projection?, schema: Schema, objectType: String
  ) throws(QueryError) -> Plan {
    var binder = Binder(schema: schema, arguments: request.arguments)
    let type = try binder.objectType(objectType, offset: 0)
    var predicate = Predicate.always
    var clauses: [Clause] = []
    if let tree {
      predicate = try binder.predicate(tree.predicate, on: type)
      for clause in tree.clauses { clauses.append(try binder.clause(clause, on: type)) }
    }
    if let sort = request.sort {
      clauses.append(
        .sort(try parsing(.sort) { () throws(QueryError) in try binder.sortKeys(in: sort, on: type) }))
    }
    if let distinct = request.distinct {
      clauses.append(
        .distinct(
          try parsing(.distinct) { () throws(QueryError) in
            try binder.distinctPaths(in: distinct, on: type)
          }))
    }
    if let limit = request.limit, limit < 0 { throw .parameter(.limit, .limitOutOfRange(offset: 0)) }
    let steps = merged(clauses)
    let shown =
      if let projection {
        projection
      } else if request.projection == nil, request.fields == nil, request.expand == nil {
        Projection.all(of: type)
      } else {
        try Projection(request, objectType: objectType, schema: schema)
      }
    try check(steps)
    return Plan(
      objectType: objectType, predicate: predicate, clauses: steps, pageSize: request.limit,
      projection: shown)
  }

  /// The steps after the predicate, and the paths of each, cost as much as they are many, however short their text
  /// is; beyond some thousands SQLite takes them no longer.
  private static func check(_ clauses: [Clause]) throws(QueryError) {
    if clauses.count > 32 { throw .tooManyTerms(offset: 0, limit: 32) }
    for clause in clauses {
      let count =
        switch clause {
        case .sort(let keys): keys.count
        case .distinct(let paths): paths.count
        case .limit: 1
        }
      if count > 64 { throw .tooManyTerms(offset: 0, limit: 64) }
    }
  }

  /// Says which parameter an error is about.
  static func parsing<Value>(
    _ parameter: QueryRequest.Parameter, _ parse: () throws(QueryError) -> Value
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
