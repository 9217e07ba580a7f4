import GatehouseBSON
import GatehouseModel
import GatehouseQuery
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
    QueryRequest(
      filter: "title == $0", arguments: [.string("3")], selection: FieldSelection(fields: "title")),
    QueryRequest(filter: "title == $0", arguments: [.null], selection: FieldSelection(fields: "name:title")),
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

  @Test func `whatever the filter is, the parameters beside it are those of the request`() throws {
    var cache = PlanCache(schema: Library.schema)
    for pages in 0..<3 {
      for request in [
        QueryRequest(), QueryRequest(sort: "pages"), QueryRequest(sort: "-pages"),
        QueryRequest(distinct: "pages"), QueryRequest(sort: "pages", distinct: "title"),
        QueryRequest(limit: 1), QueryRequest(limit: 2),
        QueryRequest(selection: FieldSelection(fields: "title")),
        QueryRequest(selection: FieldSelection(fields: "title", expand: "author")),
        QueryRequest(selection: FieldSelection(expand: "author")),
      ] {
        var request = request
        request.filter = "pages > \(pages) SORT(title ASC)"
        let plan = try Plan(request: request, schema: Library.schema, objectType: "Book")
        #expect(try cache.plan(for: request, objectType: "Book", in: Library.schema) == plan)
      }
    }
  }

  @Test func `parameters beside the filter may take arguments`() throws {
    var cache = PlanCache(schema: Library.schema)
    for path in ["title", "pages", "title", "pages", "title"] {
      for request in [
        QueryRequest(arguments: [.string(path)], sort: "$K0"),
        QueryRequest(arguments: [.string(path)], distinct: "$K0"),
      ] {
        let plan = try Plan(request: request, schema: Library.schema, objectType: "Book")
        #expect(try cache.plan(for: request, objectType: "Book", in: Library.schema) == plan)
      }
    }
    #expect(throws: QueryError.parameter(.sort, .missingArgument(offset: 0, index: 0, count: 0))) {
      try cache.plan(for: QueryRequest(sort: "$K0"), objectType: "Book", in: Library.schema)
    }
  }

  @Test func `another schema has other plans`() throws {
    var cache = PlanCache()
    let request = QueryRequest(filter: "n == 1")
    let types = [PropertyType.one(.int, optional: false), .one(.double, optional: true)]
    for type in types.flatMap({ [$0, $0, $0] }) {
      let schema = Schema([ObjectType(name: "A", properties: [Property(name: "n", type: type)])])
      let plan = try Plan(request: request, schema: schema, objectType: "A")
      #expect(try cache.plan(for: request, objectType: "A", in: schema) == plan)
    }
  }

  @Test func `a wrong request stays wrong`() {
    var cache = PlanCache(schema: Library.schema)
    for _ in 0..<3 {
      #expect(throws: QueryError.comparesConstants(offset: 2)) {
        try cache.plan(for: QueryRequest(filter: "1 == 1"), objectType: "Book", in: Library.schema)
      }
    }
  }
}
