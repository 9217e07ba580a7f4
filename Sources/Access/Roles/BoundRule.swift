import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// A rule's filter for one caller, bound to a class.
struct BoundRule {
  /// The filter and its arguments, to be bound once more when the schema changes.
  let filter: String
  let arguments: [Value]
  let predicate: Predicate
  /// Whether the filter has a predicate only, no SORT, DISTINCT or LIMIT.
  let isPlain: Bool
  /// Whether the filter names a value that the caller lacks: then it holds for no object. With null it would hold for
  /// objects that belong to nobody.
  let lacksValues: Bool

  /// Binds a filter. Users' ids are text; the query language reads them as ObjectIDs where a class says so.
  init(
    _ filter: String, for caller: CallerValues?, on objectType: String, in schema: Schema
  ) throws(QueryError) {
    let template = FilterTemplate(filter)
    let values = template.paths.map { caller?.value(at: $0) ?? .null }
    let plan = try Plan(
      request: QueryRequest(filter: template.filter, arguments: values), schema: schema,
      objectType: objectType)
    self.filter = template.filter
    arguments = values
    predicate = plan.predicate
    isPlain = plan.clauses.isEmpty
    lacksValues = values.contains(.null)
  }
}
