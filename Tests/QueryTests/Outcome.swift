import GatehouseConformance
import GatehouseModel
import GatehouseQuery

/// The result of a query.
enum Outcome {
  case keys([Int64])
  case error(QueryError)

  init(_ example: Case, _ graph: ObjectGraph) {
    do {
      let request = QueryRequest(filter: example.query, arguments: example.arguments)
      let plan = try Plan(request: request, schema: graph.schema, objectType: example.objectType)
      self = .keys(plan.evaluated(on: graph.objects(example.objectType)).map(\.key.value))
    } catch {
      self = .error(error)
    }
  }

  func satisfies(_ expectation: Case.Expectation) -> Bool {
    switch (self, expectation) {
    case (.keys(let keys), .keys(let expected, true)): keys == expected
    case (.keys(let keys), .keys(let expected, false)): keys.sorted() == expected.sorted()
    case (.keys(let keys), .count(let count)): keys.count == count
    case (.keys(let keys), .first(let first)): keys.first == first
    case (.error(let error), .error(let family)): family == "any" || error.family == family
    default: false
    }
  }
}
