import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Commands that are made to cost much, or to fail in some other place than they should.
@Suite struct HostileCommandTests {
  private static func nested(_ levels: Int, _ open: String, _ end: String, around inner: String) -> String {
    String(repeating: open, count: levels) + inner + String(repeating: end, count: levels)
  }

  @Test(arguments: [
    // Deeper than a filter may be, and deeper than JSON may be.
    ("find", #""filter":\#(nested(60, #"{"$and":["#, "]}", around: #"{"a":1}"#))"#, 400),
    ("find", #""filter":\#(nested(200, #"{"a":"#, "}", around: "1"))"#, 400),
    (
      "aggregate", #""pipeline":\#(nested(30, #"[{"$facet":{"a":"#, "}}]", around: #"[{"$match":{}}]"#))"#,
      400
    ),
    (
      "aggregate",
      #""pipeline":[\#(Array(repeating: #"{"$match":{}}"#, count: 1_001).joined(separator: ","))]"#, 400
    ),
    // As much as there may be.
    ("find", #""filter":{"_id":{"$in":[\#((0..<20_000).map(String.init).joined(separator: ","))]}}"#, 200),
    ("find", #""filter":{"$or":[\#((0..<5_000).map { #"{"_id":\#($0)}"# }.joined(separator: ","))]}"#, 200),
    ("find", #""filter":{"name":{"$regex":"^(a+)+$"}}"#, 200),
    ("find", #""filter":{"name":{"$regex":"\#(nested(600, "(", ")*", around: "a"))"}}"#, 400),
    ("find", #""sort":{\#((0..<40).map { #""f\#($0)":1"# }.joined(separator: ","))}"#, 400),
    ("find", #""filter":{"$where":"sleep(1000)"}"#, 400), ("find", #""limit":-1"#, 400),
    ("find", #""skip":1e300"#, 400),
    ("find", #""limit":9223372036854775807,"skip":9223372036854775807"#, 200),
    ("aggregate", #""pipeline":[{"$project":{"a":{"$range":[0,1000000000]}}}]"#, 400),
    ("aggregate", #""pipeline":[{"$group":{"_id":{"$function":{"body":"1","args":[],"lang":"js"}}}}]"#, 400),
    ("updateMany", #""filter":{},"update":{"$set":{"tags.100000000":"x"}}"#, 400),
    ("updateMany", #""filter":{},"update":{"$set":{"a.$[x]":1}},"arrayFilters":[{"x":1},{"y":2}]"#, 400),
    ("insertOne", #""document":{"_id":{"$undefined":true},"name":"x"}"#, 422),
  ])
  func `a command is refused or answered, and the next one too`(
    action: String, members: String, status: UInt16
  )
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let answer = try await fixture.send(
        .post, DataAPITests.target(action), json: DataAPITests.content("City", members))
      #expect(answer.status == status, "\(answer.text.prefix(300))")
      #expect(answer.content.count < 20_000)
      #expect(try await fixture.everything() == before)
    }
  }

  @Test(arguments: [
    #"{"$literal":{"a\u0000b":1}}"#, #"{"$arrayToObject":{"$literal":[["a\u0000b",1]]}}"#,
    #"{"$setField":{"field":{"$literal":"a\u0000b"},"input":{},"value":1}}"#,
  ])
  func `a name with a zero byte, which BSON has none of, has another character in its place`(value: String)
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let members = #""pipeline":[{"$match":{"_id":1}},{"$project":{"_id":0,"x":\#(value)}}]"#
      let answer = try await fixture.send(
        .post, DataAPITests.target("aggregate"), ["accept": "application/bson"],
        json: DataAPITests.content("City", members))
      #expect(answer.status == 200, "\(answer.text)")
      let text = String(decoding: Value.document(try Document(bson: answer.content)).plainJSON, as: UTF8.self)
      #expect(text == "{\"documents\":[{\"x\":{\"a\u{FFFD}b\":1}}]}")
    }
  }

  @Test func `a query that takes too long ends`() async throws {
    let fixture = try await Fixture(queryTime: 200_000_000)
    let notes = (0..<400).map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
    _ = try await fixture.send(.post, "/v1/collections/Note", json: "[\(notes)]")
    let cross = #"{"$lookup":{"from":"Note","pipeline":[],"as":"x"}},{"$unwind":"$x"}"#
    let answer = try await fixture.send(
      .post, DataAPITests.target("aggregate"),
      json: DataAPITests.content("Note", #""pipeline":[\#(cross),\#(cross),{"$count":"n"}]"#))
    #expect(answer.status == 503, "\(answer.text)")
    #expect(try answer.document["error_code"] == .string("ExecutionTimeLimitExceeded"))
    await fixture.remove()
  }

  @Test func `expressions that make much take no longer`() async throws {
    let fixture = try await Fixture(queryTime: 100_000_000)
    let notes = (0..<100).map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
    _ = try await fixture.send(.post, "/v1/collections/Note", json: "[\(notes)]")
    let sizes = Array(repeating: #"{"$gte":[{"$size":{"$range":[0,900000]}},0]}"#, count: 200)
    let filter = #"{"$expr":{"$and":[\#(sizes.joined(separator: ","))]}}"#
    let answer = try await fixture.send(
      .post, DataAPITests.target("count"), json: DataAPITests.content("Note", #""filter":\#(filter)"#))
    #expect(answer.status == 503, "\(answer.text)")
    await fixture.remove()
  }

  @Test func `a result that does not fit in memory is an error`() async throws {
    try await Fixture.with { fixture in
      let text = String(repeating: "x", count: 100_000)
      let notes = (0..<40).map { _ in #"{"text":"\#(text)"}"# }.joined(separator: ",")
      _ = try await fixture.send(.post, "/v1/collections/Note", json: "[\(notes)]")
      let cross = #"{"$lookup":{"from":"Note","pipeline":[],"as":"x"}},{"$unwind":"$x"}"#
      let answer = try await fixture.send(
        .post, DataAPITests.target("aggregate"),
        json: DataAPITests.content("Note", #""pipeline":[\#(cross)]"#))
      #expect(answer.status == 400)
      #expect(answer.text.contains("QueryExceededMemoryLimitNoDiskUseAllowed"), "\(answer.text.prefix(200))")
    }
  }

  @Test func `an index finds what the filter asks for`() async throws {
    try await Fixture.with { fixture in
      let countries = (0..<3000).map { #"{"code":"\#($0)","name":"n\#($0 % 100)","population":\#($0)}"# }
      _ = try await fixture.send(
        .post, "/v1/collections/Country", json: "[\(countries.joined(separator: ","))]")
      for (filter, count) in [
        (#"{"name":"n7"}"#, 30), (#"{"name":{"$in":["n7","n8"]},"population":{"$lt":1000}}"#, 20),
        (#"{"name":/^n9/}"#.replacing("/^n9/", with: #"{"$regex":"^n9"}"#), 330),
        (#"{"$or":[{"name":"n1"},{"population":{"$gte":2999}}]}"#, 31),
        (#"{"name":"n7","neighbours":[]}"#, 30), (#"{"name":"n7","code":null}"#, 30),
        (#"{"name":"n7","code":"7"}"#, 0),
      ] {
        let answer = try await fixture.send(
          .post, DataAPITests.target("count"), json: DataAPITests.content("Country", #""filter":\#(filter)"#))
        #expect(answer.text == #"{"count":\#(count)}"#, "\(filter)")
      }
      // Sorted by SQL, and by the documents.
      for sort in [
        #"{"name":1,"_id":-1}"#, #"{"name":-1,"population":1}"#, #"{"names":1,"name":1,"_id":-1}"#,
      ] {
        let answer = try await fixture.send(
          .post, DataAPITests.target("find"),
          json: DataAPITests.content("Country", #""sort":\#(sort),"limit":3000,"projection":{"name":1}"#))
        guard case .array(let found)? = try answer.document["documents"] else { continue }
        #expect(found.count == 3000)
        let names = found.compactMap { value -> String? in
          if case .document(let document) = value, case .string(let name)? = document["name"] {
            name
          } else {
            nil
          }
        }
        #expect(names == (sort.contains("-1,\"pop") ? names.sorted(by: >) : names.sorted()))
      }
    }
  }
}
