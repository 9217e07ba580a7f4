import GatehouseConformance
import GatehouseQuery
import Testing

@Suite struct PredicateTextTests {
  @Test(arguments: 101...120 as ClosedRange<UInt64>)
  func `random filters mean the same when they are written and read again`(seed: UInt64) {
    var random = RandomAllTypes(seed: seed)
    let objects = ObjectGraph(random.drafts(), of: "AllTypes", in: random.schema).objects("AllTypes")
    for _ in 0..<100 {
      let filter = random.filter()
      guard
        let plan = try? Plan(
          request: QueryRequest(filter: filter), schema: random.schema, objectType: "AllTypes")
      else { continue }
      let written = plan.predicate.text(in: random.schema)
      #expect(throws: Never.self, "\(filter) → \(written)") {
        let again = try Plan(
          request: QueryRequest(filter: written), schema: random.schema, objectType: "AllTypes")
        let answers = [plan, again].map { plan in objects.filter { plan.predicate.matches($0) }.map(\.key) }
        #expect(answers[0] == answers[1], "\(filter) → \(written)")
      }
    }
  }
}
