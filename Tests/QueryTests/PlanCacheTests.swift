import BSON
import Query
import Testing

@Suite struct PlanCacheTests {
  @Test func `a cache gives the plan that planning gives, however many it has seen`() throws {
    var cache = PlanCache(schema: Library.schema, capacity: 2)
    for round in 0..<3 {
      for pages in 0..<5 {
        let request = QueryRequest(filter: "pages == $0", arguments: [.int32(Int32(pages))])
        let plan = try Plan(request: request, schema: Library.schema, objectType: "Book")
        #expect(try cache.plan(for: request, objectType: "Book") == plan, "round \(round)")
      }
    }
  }

  @Test func `a wrong request stays wrong`() {
    var cache = PlanCache(schema: Library.schema)
    for _ in 0..<2 {
      #expect(throws: QueryError.comparesConstants(offset: 2)) {
        try cache.plan(for: QueryRequest(filter: "1 == 1"), objectType: "Book")
      }
    }
  }
}
