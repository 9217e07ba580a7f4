import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct CorpusTests {
  static let corpus = try? Corpus()

  @Test(.enabled(if: corpus != nil, "../shared/conformance/rql.json is not there"))
  func `realm-core's queries parse, or do not`() throws {
    let schema = Schema([ObjectType(name: "Empty", properties: [])])
    for (query, parses) in try #require(Self.corpus).parseOnly {
      #expect(parseError(query, schema)?.isSyntactic ?? false != parses, "\(query)")
    }
  }

  private func parseError(_ query: String, _ schema: Schema) -> QueryError? {
    do {
      _ = try Plan(request: QueryRequest(filter: query), schema: schema, objectType: "Empty")
      return nil
    } catch {
      return error
    }
  }

  @Test(
    .enabled(if: corpus != nil, "../shared/conformance/rql.json is not there"),
    arguments: corpus?.datasets ?? [])
  func `the evaluator answers realm-core's queries as realm-core does`(_ dataset: Dataset) throws {
    try check(dataset)
  }

  @Test(arguments: try Corpus.own().datasets)
  func `the evaluator answers the project's own corpus`(_ dataset: Dataset) throws {
    try check(dataset)
  }

  private func check(_ dataset: Dataset) throws {
    let graph = ObjectGraph(dataset)
    for example in dataset.cases where !example.tags.contains("internal_key") {
      if Exceptions.reasons[example.id] != nil { continue }
      let outcome = Outcome(example, graph)
      #expect(outcome.satisfies(example.expectation), "\(example.id) \(example.query): \(outcome)")
    }
  }
}
