import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Documents of a schemaless class in the order of their identifiers, which an index has.
@Suite struct IdentifierOrderTests {
  private static let schema = #"[{"name":"Log","schemaless":true}]"#
  private static let path = "/v1/collections/Log"

  private static let numbers = [
    "1", "2.5", "-3", #"{"$numberDecimal":"2.25"}"#, #"{"$numberDouble":"-Infinity"}"#, "0",
    #"{"$numberLong":"9007199254740993"}"#, "9007199254740992.0", #"{"$numberDecimal":"0.1"}"#, "0.1",
    #"{"$numberDecimal":"9E+6144"}"#, #"{"$numberDouble":"Infinity"}"#,
  ]
  private static let texts = [#""b""#, #""""#, #""a""#, #""ab""#, #""Z""#, #""é""#, ##""a\u0000b""##]
  private static let objectIDs = ["0b", "0a", "ff", "00"].map {
    #"{"$oid":"\#(String(repeating: "0", count: 22))\#($0)"}"#
  }
  private static let others = [
    "true", #"{"a":1}"#, #"{"$date":"2026-01-02T03:04:05.006Z"}"#,
    #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#, #"{"$binary":{"base64":"AQI=","subType":"00"}}"#,
  ]

  private func with(_ identifiers: [String], _ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      for (place, id) in identifiers.enumerated() {
        let made = try await fixture.send(.post, Self.path, json: #"{"_id":\#(id),"n":\#(place % 3)}"#)
        try #require(made.status == 201, "\(made.text)")
      }
      try await body(fixture)
    }
  }

  /// A pipeline sorts in memory, by MongoDB's order of all types.
  @Test(arguments: [numbers, texts, objectIDs, others, numbers + texts + objectIDs + others, []], [1, -1])
  func `find sorts as a pipeline does`(identifiers: [String], direction: Int) async throws {
    try await with(identifiers) { fixture in
      for (filter, skip, limit) in [("{}", 0, 3), ("{}", 2, 100), (#"{"n":{"$gte":1}}"#, 1, 2)] {
        let sort = #"{"_id":\#(direction),"n":1}"#
        let found = try await fixture.send(
          .post, DataAPITests.target("find"),
          json: DataAPITests.content(
            "Log", #""filter":\#(filter),"sort":\#(sort),"skip":\#(skip),"limit":\#(limit)"#))
        let stages = #"{"$match":\#(filter)},{"$sort":\#(sort)},{"$skip":\#(skip)},{"$limit":\#(limit)}"#
        let sorted = try await fixture.send(
          .post, DataAPITests.target("aggregate"),
          json: DataAPITests.content("Log", #""pipeline":[\#(stages)]"#))
        #expect(found.text == sorted.text && found.text.hasPrefix(#"{"documents":["#))
      }
    }
  }

  @Test(arguments: ["_id", "-_id"])
  func `pages in the order of identifiers follow each other by the index`(sort: String) async throws {
    try await with(Self.numbers + Self.texts + Self.objectIDs + Self.others) { fixture in
      let whole = try await fixture.send(.get, "\(Self.path)?sort=\(sort)&fields=_id").text
      var pages: [String] = []
      var next: String? = "\(Self.path)?sort=\(sort)&fields=_id&limit=4"
      while let target = next {
        let page = try await fixture.send(.get, target)
        pages.append(String(page.text.dropFirst().dropLast()))
        next = page.fields["link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
      }
      #expect("[\(pages.filter { !$0.isEmpty }.joined(separator: ","))]" == whole && pages.count > 6)
      let plan = try await fixture.send(.get, "\(Self.path)?sort=\(sort)&explain=true").text
      #expect(plan.contains("SCAN t USING INDEX") && !plan.contains("FOR ORDER BY"), "\(plan)")
    }
  }
}
