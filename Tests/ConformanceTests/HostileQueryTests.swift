import GatehouseBSON
import GatehouseModel
import Testing

/// Queries that are made to cost much, over HTTP.
@Suite struct HostileQueryTests {
  private static let schema = Schema([
    ObjectType(
      name: "Item",
      properties: [
        Property(name: "number", type: .one(.int, optional: false)),
        Property(name: "text", type: .one(.string, optional: true)),
      ])
  ])

  /// The parts of a query, and the reason for which it is refused.
  struct Hostility: Sendable {
    let filter: String
    let code: String

    init(_ code: String, _ start: String, _ part: String, times: Int, by separator: String = "") {
      filter = start + Array(repeating: part, count: times).joined(separator: separator)
      self.code = code
    }
  }

  @Test(arguments: [
    // 53,000 terms overflowed the stack of a parser once.
    Hostility("text_too_long", "", "number == 1", times: 53_000, by: " OR "),
    Hostility("too_many_terms", "", "number=1", times: 7_000, by: "||"),
    Hostility("too_deep", "", "(", times: 100_000),
    Hostility("too_deep", "", "NOT ", times: 60_000),
    Hostility("too_deep", "", "!", times: 200_000),
    Hostility("too_deep", "number == ", "1", times: 60_000, by: " + "),
    Hostility("too_many_terms", "number IN {", "1", times: 60_000, by: ","),
    Hostility("too_many_terms", "number == 1 SORT(", "number ASC", times: 21_000, by: ","),
    Hostility("text_too_long", "text == '", "x", times: 300_000),
    Hostility("too_deep", "", "SUBQUERY(text, $x, ", times: 10_000),
  ])
  func `a query that is too large is refused, and the server goes on`(_ hostility: Hostility)
    async throws
  {
    try await ServedStore.with(Self.schema) { connection in
      let content = Value.document(["from": .string("Item"), "filter": .string(hostility.filter)]).plainJSON
      let answer = try connection.send("POST", "/v1/query", json: content)
      #expect(answer.status == 400)
      #expect(answer.content.contains("\"code\":\"\(hostility.code)\""), "\(answer.content)")
      #expect(try connection.send("GET", "/readyz").status == 200)
    }
  }

  @Test(arguments: [
    ("sort", "number", 65), ("distinct", "text", 65), ("aggregate", "@count", 101), ("fields", "text", 1001),
    ("filter", "TRUEPREDICATE" + String(repeating: " LIMIT(1)", count: 33), 1),
  ])
  func `a list of paths has bounds`(parameter: String, path: String, count: Int) async throws {
    try await ServedStore.with(Self.schema) { connection in
      let text = Array(repeating: path, count: count).joined(separator: ",")
      let content = Value.document(["from": .string("Item"), parameter: .string(text)]).plainJSON
      let answer = try connection.send("POST", "/v1/query", json: content)
      #expect(answer.status == 400 && answer.content.contains("too_many_terms"), "\(answer.content)")
    }
  }

  @Test(arguments: [
    Array(repeating: "number=1", count: 6_600).joined(separator: "||"),
    (0..<6_000).map { "text CONTAINS '\($0)'" }.joined(separator: " OR "),
    (0..<6_000).map { "text != '\($0)'" }.joined(separator: " AND "),
    String(repeating: "(", count: 99) + "number == 1" + String(repeating: ")", count: 99),
  ])
  func `as many terms as fit are answered`(filter: String) async throws {
    try await ServedStore.with(Self.schema) { connection in
      let content = Value.document(["from": .string("Item"), "filter": .string(filter)]).plainJSON
      let answer = try connection.send("POST", "/v1/query", json: content)
      #expect((answer.status, answer.content) == (200, "[]"))
    }
  }

  @Test func `a list of arguments has bounds as well`() async throws {
    try await ServedStore.with(Self.schema) { connection in
      let numbers = (0..<100_000).map { Value.int32(Int32($0)) }
      let content = Value.document([
        "from": .string("Item"), "filter": .string("number IN $0"), "args": .array([.array(numbers)]),
      ]).plainJSON
      let answer = try connection.send("POST", "/v1/query", json: content)
      #expect(answer.status == 400 && answer.content.contains("too_many_terms"), "\(answer.content)")
      #expect(try connection.send("GET", "/readyz").status == 200)
    }
  }
}
