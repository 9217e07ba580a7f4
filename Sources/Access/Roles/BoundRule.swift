import BSON
import Model
import Query

/// A rule's filter for one caller, bound to a class.
struct BoundRule {
  /// The filter and the values in it, to be bound once more where the schema changes.
  let filter: String
  let arguments: [Value]
  let predicate: Predicate
  /// Whether it is a predicate only.
  let isPlain: Bool
  /// Whether it asks for something that is not known of the caller: then it holds for no object. As null it would
  /// hold for those that belong to nobody.
  let lacksValues: Bool

  /// Users' ids are text; the query language takes them for ObjectIDs where a class says so.
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
