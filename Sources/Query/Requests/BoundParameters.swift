internal import GatehouseModel

/// The parameters beside a request's filter, bound to a class.
struct BoundParameters {
  /// The clauses that follow the filter's own.
  let clauses: [Plan.Clause]
  let projection: Projection
}

extension Binder {
  func parameters(of request: QueryRequest, on type: ObjectType) throws(QueryError) -> BoundParameters {
    var clauses: [Plan.Clause] = []
    if let sort = request.sort {
      clauses.append(
        .sort(try Plan.parsing(.sort) { () throws(QueryError) in try paths.sortKeys(in: sort, on: type) }))
    }
    if let distinct = request.distinct {
      clauses.append(
        .distinct(
          try Plan.parsing(.distinct) { () throws(QueryError) in
            try paths.distinctPaths(in: distinct, on: type)
          }))
    }
    if let limit = request.limit, limit < 0 { throw .parameter(.limit, .limitOutOfRange(offset: 0)) }
    let projection = try Projection(request.selection, objectType: type.name, schema: constants.schema)
    return BoundParameters(clauses: clauses, projection: projection)
  }
}
