import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import GatehouseStorage
import Testing

/// Queries that are more than SQLite's parser or planner can take.
@Suite struct QueryLimitTests {
  private static let schema = """
    [{"name":"Doc","primaryKey":"id","properties":{"id":"int","name":{"type":"string","indexed":true},
      "text":{"type":"string","indexed":"full-text"},"extra":"mixed","next":"Doc?","others":"Doc[]","tags":"string[]"}}]
    """

  private func filled() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    let docs = try (0..<6).map { id in
      try store.creation(
        "Doc",
        """
        {"id":\(id),"name":"n\(id)","text":"word w\(id)","extra":\(id),"next":\(id == 0 ? "null" : "\(id - 1)"),
         "others":[\(id)],"tags":["t\(id)"]}
        """)
    }
    _ = try await store.store.perform(Transaction(docs))
    return store
  }

  private func ids(_ store: TemporaryStore, _ request: QueryRequest) throws -> [Int] {
    var request = request
    request.selection.fields = "id"
    return try store.page("Doc", request).objects.compactMap { Int($0.filter(\.isNumber)) }
  }

  private static let everything = [0, 1, 2, 3, 4, 5]
  /// A term for each number, how they are joined, and what is found by 3 and numbers that nothing has.
  private static let forms: [(term: @Sendable (Int) -> String, word: String, found: [Int])] = [
    ({ "text TEXT 'w\($0)'" }, "OR", [3]), ({ "text TEXT 'w\($0)'" }, "AND", []),
    ({ "text TEXT '-x\($0)'" }, "AND", everything), ({ "name BEGINSWITH 'n\($0)'" }, "OR", [3]),
    ({ "NOT name BEGINSWITH 'n\($0)'" }, "AND", [0, 1, 2, 4, 5]), ({ "next.name == 'n\($0)'" }, "OR", [4]),
    ({ "others.name == 'n\($0)'" }, "OR", [3]), ({ "others.name != 'x\($0)'" }, "AND", everything),
    ({ "SUBQUERY(others, $x, $x.id == \($0)).@count > 0" }, "OR", [3]),
    ({ "others.@sum.id == \($0)" }, "OR", [3]), ({ "extra * 1 == \($0)" }, "OR", [3]),
    ({ "tags CONTAINS 't\($0)'" }, "OR", [3]),
  ]

  /// The terms that SQLite has to plan are counted, and not timed: 8,000 took it half a minute and 1.5 GB.
  @Test(arguments: forms.indices)
  func `of thousands of terms SQLite plans a few hundred`(number: Int) async throws {
    let store = try await filled()
    let (term, word, found) = Self.forms[number]
    let filter = ([3] + Array(100..<3_000)).map(term).joined(separator: " \(word) ")
    let request = QueryRequest(filter: filter)
    #expect(try ids(store, request) == found)
    #expect(try store.count("Doc", request) == found.count)
    let plan = try Plan(request: request, schema: store.store.schema, objectType: "Doc")
    let sql = try store.reading.explain(plan).sql
    #expect(sql.split(separator: "SELECT").count < 600 && sql.utf8.count < 40_000, "\(sql.utf8.count)")
  }

  @Test func `conditions that an index finds stay in SQL beside thousands of others`() async throws {
    let store = try await filled()
    let many = (0..<3_000).map { "name CONTAINS 'n\($0)'" }.joined(separator: " OR ")
    let request = QueryRequest(filter: "name == 'n3' AND (\(many)) AND id > 2")
    #expect(try ids(store, request) == [3])
    let plan = try Plan(request: request, schema: store.store.schema, objectType: "Doc")
    let explanation = try store.reading.explain(plan)
    #expect(explanation.inMemory.count == 1)
    #expect(
      explanation.sql.contains("t.\"name\" IS ?") && !explanation.indexes.isEmpty, "\(explanation)")
  }

  @Test func `filters of many terms and levels are answered as by the evaluator`() async throws {
    var random = RandomAllTypes(seed: 20)
    let drafts = random.drafts()
    let store = try await TemporaryStore(random.schema)
    _ = try await store.store.perform(
      Transaction(drafts.map { .create(objectType: "AllTypes", draft: $0, policy: .error) }))
    let objects = ObjectGraph(drafts, of: "AllTypes", in: random.schema).objects("AllTypes")
    var generator = SeededGenerator(seed: 21)
    let terms = (0..<4_000).map { _ in random.filter() }.filter { filter in
      (try? Plan(request: QueryRequest(filter: filter), schema: random.schema, objectType: "AllTypes")) != nil
    }
    for round in 0..<60 {
      var filter = terms.randomElement(using: &generator) ?? ""
      if round < 30 {
        let count = Int.random(in: 100...900, using: &generator)
        filter = (0..<count).map { number in
          let term = "(\(terms.randomElement(using: &generator) ?? ""))"
          return number == 0
            ? term : (Int.random(in: 0..<9, using: &generator) == 0 ? " AND " : " OR ") + term
        }.joined()
      } else {
        for _ in 0..<Int.random(in: 5...45, using: &generator) {
          let other = terms.randomElement(using: &generator) ?? ""
          let word = Bool.random(using: &generator) ? "AND" : "OR"
          filter =
            Bool.random(using: &generator)
            ? "((\(other)) \(word) \(filter))" : "NOT (\(filter) \(word) (\(other)))"
        }
      }
      let request = QueryRequest(filter: filter, selection: FieldSelection(fields: "_key"))
      guard let plan = try? Plan(request: request, schema: random.schema, objectType: "AllTypes") else {
        continue
      }
      let expected = plan.evaluated(on: objects).map { "{\"_key\":\($0.key.value)}" }
      #expect(try store.page("AllTypes", request).objects == expected, "\(filter)")
    }
  }

  /// Each was "parser stack overflow", "Expression tree is too large" or "at most 64 tables in a join".
  private static let deep: [QueryRequest] = {
    let next = String(repeating: "next.", count: 16)
    let subqueries = (1...20).map { "SUBQUERY(others, $\(String(repeating: "x", count: $0)), " }.joined()
    let words = (0..<190).map { "-x\($0)" }.joined(separator: " ")
    let distinct = String(repeating: " DISTINCT(next.next.next.name)", count: 16)
    let key = String(repeating: "next.", count: 8) + "name"
    return [
      QueryRequest(filter: String(repeating: "!", count: 98) + "id == 3"),
      QueryRequest(filter: "next.next.next.id == 0"),
      QueryRequest(filter: "NOT \(next)id == 3 AND id == 3"),
      QueryRequest(filter: String(repeating: "others.", count: 16) + "id == 3"),
      QueryRequest(filter: subqueries + "id == 3" + String(repeating: ").@count > 0", count: 20)),
      QueryRequest(filter: "text TEXT 'w3 \(words)'"),
      QueryRequest(
        filter: "id == 3 DISTINCT(next.name)" + distinct + String(repeating: " LIMIT(5)", count: 15)),
      QueryRequest(filter: "id == 3", sort: Array(repeating: key, count: 28).joined(separator: ",")),
    ]
  }()

  @Test(arguments: deep)
  func `what was too deep for SQLite is answered`(request: QueryRequest) async throws {
    let store = try await filled()
    #expect(try ids(store, request) == [3])
    #expect(try store.count("Doc", request) == 1)
  }

  @Test func `pages go on in an order of many keys`() async throws {
    let store = try await filled()
    let sort = Array(repeating: "next.name", count: 24).joined(separator: ",") + ",-extra"
    let request = QueryRequest(sort: sort, limit: 1, selection: FieldSelection(fields: "id"))
    var found: [String] = []
    var cursor: Cursor?
    repeat {
      let page = try store.page("Doc", request, cursor)
      found += page.objects
      cursor = page.next
    } while cursor != nil && found.count < 10
    #expect(found == [1, 2, 3, 4, 5, 0].map { "{\"id\":\($0)}" })
  }
}
