import Conformance
import FoundationEssentials
import Model
import Query
import Storage
import Testing

/// Random queries of random objects, answered by SQL and by the evaluator in memory.
@Suite struct DifferentialTests {
  /// `GATEHOUSE_PAIRS` asks for more pairs of a query and a store than the test command has time for.
  static let pairs = ProcessInfo.processInfo.environment["GATEHOUSE_PAIRS"].flatMap { Int($0) } ?? 4_000
  static let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `the store and the evaluator answer random queries alike`() async throws {
    var planned = 0
    for round in 0..<(Self.pairs + 1_999) / 2_000 {
      var zoo = RandomZoo(seed: Self.seed &* 1_000_003 &+ UInt64(round))
      let drafts = zoo.drafts()
      let store = try await TemporaryStore(RandomZoo.schema)
      _ = try await store.store.perform(
        Transaction(drafts.map { .create(objectType: "Zoo", draft: $0, policy: .error) }))
      let graph = ObjectGraph(drafts, of: "Zoo", in: RandomZoo.schema)
      let objects = graph.objects("Zoo")
      for _ in 0..<2_000 {
        let filter = zoo.filter()
        let request = QueryRequest(filter: filter, fields: "_key")
        guard let plan = try? Plan(request: request, schema: RandomZoo.schema, objectType: "Zoo") else {
          continue
        }
        planned += 1
        let expected = plan.evaluated(on: objects).map { "{\"_key\":\($0.key.value)}" }
        let found = try store.page("Zoo", request).objects
        if found != expected { Issue.record("\(filter): SQL \(found), evaluator \(expected)") }
      }
    }
    #expect(planned > 300)
  }
}
