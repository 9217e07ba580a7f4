import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// `$out` and `$merge`: pipelines that write into a class.
@Suite struct PipelineOutputTests {
  private static let schema = """
    [{"name":"Sale","primaryKey":"_id","properties":{"_id":"int","shop":"string","amount":"int"}},\
    {"name":"Total","primaryKey":"_id","properties":{"_id":"string","amount":{"type":"int","default":0},"note":"string?"}},\
    {"name":"Visit","primaryKey":"_id","properties":{"_id":"objectId","total":"Total?"}}]
    """
  private static let totals =
    #"{"$group":{"_id":"$shop","amount":{"$sum":"$amount"}}},{"$sort":{"_id":1}}"#

  private static func with(_ test: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(schema) { fixture in
      let sales =
        #"[{"_id":1,"shop":"a","amount":5},{"_id":2,"shop":"b","amount":7},{"_id":3,"shop":"a","amount":1}]"#
      _ = try await fixture.send(.post, "/v1/collections/Sale", json: sales)
      let totals = #"[{"_id":"a","amount":100,"note":"old"},{"_id":"z","amount":9}]"#
      _ = try await fixture.send(.post, "/v1/collections/Total", json: totals)
      try await test(fixture)
    }
  }

  private static func aggregate(_ fixture: Fixture, _ stages: String) async throws -> Answer {
    try await fixture.send(
      .post, DataAPITests.target("aggregate"), json: DataAPITests.content("Sale", #""pipeline":[\#(stages)]"#)
    )
  }

  @Test(arguments: [
    (
      #"{"$out":"Total"}"#,
      #"[{"_id":"a","amount":6,"note":null},{"_id":"b","amount":7,"note":null}]"#
    ),
    (
      #"{"$out":{"db":"d","coll":"Total"}}"#,
      #"[{"_id":"a","amount":6,"note":null},{"_id":"b","amount":7,"note":null}]"#
    ),
    (
      #"{"$merge":"Total"}"#,
      #"[{"_id":"a","amount":6,"note":"old"},{"_id":"b","amount":7,"note":null},{"_id":"z","amount":9,"note":null}]"#
    ),
    (
      #"{"$merge":{"into":"Total","whenMatched":"replace"}}"#,
      #"[{"_id":"a","amount":6,"note":null},{"_id":"b","amount":7,"note":null},{"_id":"z","amount":9,"note":null}]"#
    ),
    (
      #"{"$merge":{"into":"Total","whenMatched":"keepExisting"}}"#,
      #"[{"_id":"a","amount":100,"note":"old"},{"_id":"b","amount":7,"note":null},{"_id":"z","amount":9,"note":null}]"#
    ),
    (
      #"{"$merge":{"into":"Total","whenNotMatched":"discard","whenMatched":[{"$set":{"amount":{"$add":["$amount","$$new.amount"]}}}]}}"#,
      #"[{"_id":"a","amount":106,"note":"old"},{"_id":"z","amount":9,"note":null}]"#
    ),
    (
      #"{"$project":{"_id":0,"amount":9,"note":"$_id"}},{"$merge":{"into":"Total","on":"amount","whenNotMatched":"discard"}}"#,
      #"[{"_id":"a","amount":100,"note":"old"},{"_id":"z","amount":9,"note":"b"}]"#
    ),
  ])
  func `a pipeline writes its documents`(output: String, left: String) async throws {
    try await Self.with { fixture in
      let output = output.replacing(
        #""amount":9,"note":"$_id""#, with: #""amount":{"$literal":9},"note":"$_id""#)
      let answer = try await Self.aggregate(fixture, "\(Self.totals),\(output)")
      #expect((answer.status, answer.text) == (200, #"{"documents":[]}"#))
      #expect(try await fixture.send(.get, "/v1/collections/Total?sort=_id").text == left)
    }
  }

  @Test(arguments: [
    (#"{"$merge":{"into":"Total","whenMatched":"fail"}}"#, 400, "(Location11000)"),
    (#"{"$merge":{"into":"Total","whenNotMatched":"fail"}}"#, 400, "(Location13113)"),
    (#"{"$merge":{"into":"Total","on":"note"}}"#, 400, "(Location51132)"),
    (#"{"$set":{"amount":"much"}},{"$out":"Total"}"#, 422, "SchemaValidationFailedWrite"),
    (#"{"$set":{"_id":"same"}},{"$out":"Total"}"#, 409, "Duplicate key error"),
    (#"{"$merge":"Nowhere"}"#, 403, "no rule exists"),
  ])
  func `a pipeline that cannot write all leaves everything as it is`(
    output: String, status: Int, text: String
  ) async throws {
    try await Self.with { fixture in
      let before = try await fixture.send(.get, "/v1/collections/Total").text
      let answer = try await Self.aggregate(fixture, "\(Self.totals),\(output)")
      #expect(answer.status == status && answer.text.contains(text), "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/collections/Total").text == before)
    }
  }

  @Test func `several documents are merged into one`() async throws {
    try await Self.with { fixture in
      let stages =
        #"{"$sort":{"_id":1}},{"$project":{"_id":"$shop","amount":1}},{"$merge":{"into":"Total","whenMatched":[{"$set":{"amount":{"$add":["$amount","$$new.amount"]}}}]}}"#
      let answer = try await Self.aggregate(fixture, stages)
      #expect(answer.status == 200)
      #expect(
        try await fixture.send(.get, "/v1/collections/Total?fields=amount&sort=_id").text
          == #"[{"amount":106},{"amount":7},{"amount":9}]"#)
    }
  }

  @Test func `links to what is written anew stay`() async throws {
    try await Self.with { fixture in
      let visits =
        #"[{"_id":"000000000000000000000001","total":"a"},{"_id":"000000000000000000000002","total":"z"}]"#
      let made = try await fixture.send(.post, "/v1/collections/Visit", json: visits)
      let answer = try await Self.aggregate(fixture, "\(Self.totals),{\"$out\":\"Total\"}")
      #expect(made.status == 201 && answer.status == 200)
      #expect(
        try await fixture.send(.get, "/v1/collections/Visit?fields=total").text
          == #"[{"total":"a"},{"total":null}]"#)
    }
  }

  @Test func `in development a pipeline makes the class that it writes into`() async throws {
    try await Fixture.with(infersClasses: true) { fixture in
      try await fixture.populate()
      let stages = #"{"$group":{"_id":"$country","people":{"$sum":"$population"}}},{"$out":"Sum"}"#
      let answer = try await fixture.send(
        .post, DataAPITests.target("aggregate"),
        json: DataAPITests.content("City", #""pipeline":[\#(stages)]"#)
      )
      #expect((answer.status, answer.text) == (200, #"{"documents":[]}"#))
      let sums = try await fixture.send(.get, "/v1/collections/Sum")
      for (country, people) in [("DE", 3_426_354), ("FR", 2_138_551), ("JP", 10_929_012)] {
        #expect(sums.text.contains(#"{"_id":"\#(country)","people":\#(people)}"#), "\(sums.text)")
      }
    }
  }
}
