import Conformance
import Query
import Testing

@Suite struct PredicateTextTests {
  @Test(arguments: 101...120 as ClosedRange<UInt64>)
  func `random filters mean the same when they are written and read again`(seed: UInt64) {
    var zoo = RandomZoo(seed: seed)
    let objects = ObjectGraph(zoo.drafts(), of: "Zoo", in: zoo.schema).objects("Zoo")
    for _ in 0..<100 {
      let filter = zoo.filter()
      guard let plan = try? Plan(request: QueryRequest(filter: filter), schema: zoo.schema, objectType: "Zoo")
      else { continue }
      let written = plan.predicate.text(in: zoo.schema)
      #expect(throws: Never.self, "\(filter) → \(written)") {
        let again = try Plan(request: QueryRequest(filter: written), schema: zoo.schema, objectType: "Zoo")
        let answers = [plan, again].map { plan in objects.filter { plan.predicate.matches($0) }.map(\.key) }
        #expect(answers[0] == answers[1], "\(filter) → \(written)")
      }
    }
  }
}
