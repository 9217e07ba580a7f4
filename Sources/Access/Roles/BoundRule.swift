import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// A rule's filters for one caller, bound to a class.
///
/// A filter that names a value that the caller lacks holds for no object. With null it would hold for objects that
/// belong to nobody. The same goes for one that names a list elsewhere than behind `IN`: it would hold where an element does.
struct BoundRule {
  /// One filter for all of them and its arguments, to be bound once more when the schema changes.
  let filter: String
  let arguments: [Value]
  /// The condition on an object: one of the filters holds.
  let predicate: Predicate
  /// Whether the filters have predicates only, no SORT, DISTINCT or LIMIT.
  let isPlain: Bool
  /// Whether none of the filters can hold, since the caller lacks values.
  let lacksValues: Bool

  /// Binds filters, leaving out those that cannot be bound. Throws if none can. Users' ids are text; the query language
  /// reads them as ObjectIDs where a class says so.
  init(
    _ filters: [String], for caller: CallerValues?, on objectType: String, in schema: Schema
  ) throws(QueryError) {
    var bound: [(filter: String, plan: Plan)] = []
    var arguments: [Value] = []
    var failure: QueryError?
    for filter in filters {
      let template = FilterTemplate(filter, firstArgument: arguments.count)
      let values = template.expansions.map { caller?.value(of: $0) ?? .null }
      if values.contains(.null) || template.hasMisplacedList(among: values) { continue }
      do throws(QueryError) {
        let plan = try template.plan(arguments + values, on: objectType, in: schema)
        bound.append((template.filter, plan))
        arguments += values
      } catch {
        failure = error
      }
    }
    if bound.isEmpty, let failure { throw failure }
    precondition(!bound.isEmpty || arguments.isEmpty, "an argument is one of a filter that was bound")
    let texts = bound.count == 1 ? [bound[0].filter] : bound.map { "(\($0.filter))" }
    filter = bound.isEmpty ? "FALSEPREDICATE" : texts.joined(separator: " OR ")
    self.arguments = arguments
    predicate = bound.count == 1 ? bound[0].plan.predicate : .any(bound.map(\.plan.predicate))
    isPlain = bound.allSatisfy(\.plan.clauses.isEmpty)
    lacksValues = bound.isEmpty
  }

  /// Returns whether a filter has a predicate only. Throws if it means nothing, whatever the values are that it names: one
  /// value or, behind IN, a list.
  static func isPlain(_ filter: String, on objectType: String, in schema: Schema) throws(QueryError) -> Bool {
    let template = FilterTemplate(filter)
    do throws(QueryError) {
      let values = [Value](repeating: .null, count: template.expansions.count)
      return try template.plan(values, on: objectType, in: schema).clauses.isEmpty
    } catch {
      let lists = [Value](repeating: .array([]), count: template.expansions.count)
      if let plan = try? template.plan(lists, on: objectType, in: schema) { return plan.clauses.isEmpty }
      throw error
    }
  }
}

extension FilterTemplate {
  fileprivate func plan(
    _ arguments: [Value], on objectType: String, in schema: Schema
  ) throws(QueryError) -> Plan {
    try Plan(
      request: QueryRequest(filter: filter, arguments: arguments), schema: schema, objectType: objectType)
  }
}
