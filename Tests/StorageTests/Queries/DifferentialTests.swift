import FoundationEssentials
import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Random queries of random objects, answered by SQL and by the evaluator in memory.
@Suite struct DifferentialTests {
  /// `GATEHOUSE_PAIRS` asks for more pairs of a query and a store than the test command has time for.
  static let pairs = ProcessInfo.processInfo.environment["GATEHOUSE_PAIRS"].flatMap { Int($0) } ?? 1_500
  static let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `the store and the evaluator answer random queries alike`() async throws {
    var answered = 0
    var round: UInt64 = 0
    while answered < Self.pairs {
      answered += try await compare(seed: Self.seed &* 1_000_003 &+ round)
      round += 1
    }
  }

  /// Puts 1,000 queries to one store; returns how many of them were legal.
  private func compare(seed: UInt64) async throws -> Int {
    var random = RandomAllTypes(seed: seed)
    let drafts = random.drafts()
    let store = try await TemporaryStore(random.schema)
    _ = try await store.store.perform(
      Transaction(drafts.map { .create(objectType: "AllTypes", draft: $0, policy: .error) }))
    let objects = ObjectGraph(drafts, of: "AllTypes", in: random.schema).objects("AllTypes")
    var answered = 0
    for _ in 0..<1_000 {
      let request = QueryRequest(filter: random.filter(), selection: FieldSelection(fields: "_key"))
      guard let plan = try? Plan(request: request, schema: random.schema, objectType: "AllTypes") else {
        continue
      }
      answered += 1
      let expected = plan.evaluated(on: objects).map { "{\"_key\":\($0.key.value)}" }
      let found = try store.page("AllTypes", request).objects
      #expect(found == expected, "\(request.filter ?? "")")
    }
    return answered
  }
}
