import BSON
import Model
import Query
import Testing

@Suite struct PlanCacheTests {
  @Test func `a cache gives the plan that planning gives, however many it has seen`() throws {
    var cache = PlanCache(schema: Library.schema, capacity: 4)
    for round in 0..<3 {
      for pages in 0..<5 {
        let request = QueryRequest(filter: "pages == $0", arguments: [.int32(Int32(pages))])
        let plan = try Plan(request: request, schema: Library.schema, objectType: "Book")
        #expect(
          try cache.plan(for: request, objectType: "Book", in: Library.schema) == plan, "round \(round)")
      }
    }
  }

  @Test(arguments: [
    QueryRequest(filter: "pages > $0 SORT($K1 ASC)", arguments: [.int32(3), .string("title")]),
    QueryRequest(filter: "pages > $0 SORT($K1 ASC)", arguments: [.int32(3), .string("pages")]),
    QueryRequest(filter: "title == $0", arguments: [.string("3")], fields: "title"),
    QueryRequest(filter: "title == $0", arguments: [.null], fields: "name:title"),
    QueryRequest(
      filter: "title == $0", arguments: [.string(String(repeating: "x", count: 5000))], sort: "-title"),
  ])
  func `what differs in arguments only is bound anew`(request: QueryRequest) throws {
    var cache = PlanCache()
    let other = QueryRequest(filter: request.filter, arguments: [.null, .string("author.name")])
    for request in [other, request, other, request] {
      let plan = try? Plan(request: request, schema: Library.schema, objectType: "Book")
      #expect((try? cache.plan(for: request, objectType: "Book", in: Library.schema)) == plan)
    }
  }

  @Test func `another schema has other plans`() throws {
    var cache = PlanCache()
    let request = QueryRequest(filter: "n == 1")
    for type in [PropertyType.one(.int, optional: false), .one(.double, optional: true)] {
      let schema = Schema([ObjectType(name: "A", properties: [Property(name: "n", type: type)])])
      let plan = try Plan(request: request, schema: schema, objectType: "A")
      #expect(try cache.plan(for: request, objectType: "A", in: schema) == plan)
    }
  }

  @Test func `a wrong request stays wrong`() {
    var cache = PlanCache(schema: Library.schema)
    for _ in 0..<2 {
      #expect(throws: QueryError.comparesConstants(offset: 2)) {
        try cache.plan(for: QueryRequest(filter: "1 == 1"), objectType: "Book", in: Library.schema)
      }
    }
  }
}
