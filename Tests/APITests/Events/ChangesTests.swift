import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

@Suite struct ChangesTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","n":{"type":"int?","mapTo":"number"}}},
     {"name":"B","properties":{"text":"string"}}]
    """

  /// A gateway whose store has an insertion (2), an update (3) and an insertion of another class (4).
  private func with(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(.post, "/v1/collections/A", json: #"{"id":1,"n":5}"#)
      _ = try await fixture.send(.patch, "/v1/collections/A/1", json: #"{"n":6}"#)
      _ = try await fixture.send(.post, "/v1/collections/B", json: #"{"text":"t"}"#)
      try await body(fixture)
    }
  }

  /// Without the times, which are of now.
  private func timeless(_ text: String) -> String {
    text.replacing(/"time":("[^"]*"|\{"\$date":"[^"]*"\}),/, with: "")
  }

  private static let update =
    #"{"version":3,"n":0,"class":"A","id":1,"operation":"update","changed":["n"],"before":{"n":5},"after":{"n":6}}"#
  private static let insertion =
    #"{"version":4,"n":0,"class":"B","id":0,"operation":"insert","after":{"text":"t"}}"#

  @Test(arguments: [
    ("?since=2", #"{"changes":[\#(update),\#(insertion)],"next":"4"}"#),
    ("?since=3-0", #"{"changes":[\#(insertion)],"next":"4"}"#),
    ("?since=2&class=A", #"{"changes":[\#(update)],"next":"4"}"#),
    ("?since=now", #"{"changes":[],"next":"4"}"#), ("", #"{"changes":[],"next":"4"}"#),
    ("?since=2999-01-01T00:00:00Z", #"{"changes":[],"next":"4"}"#),
  ])
  func `changes come from a position on`(query: String, expected: String) async throws {
    try await with { fixture in
      let answer = try await fixture.send(.get, "/v1/changes\(query)")
      #expect((answer.status, timeless(answer.text)) == (200, expected))
      #expect(answer.fields["link"] == nil)
    }
  }

  @Test func `pages lead to the next one`() async throws {
    try await with { fixture in
      let first = try await fixture.send(.get, "/v1/changes?since=2&limit=1&class=A")
      #expect(timeless(first.text) == #"{"changes":[\#(Self.update)],"next":"3-0"}"#)
      #expect(first.fields["link"] == #"</v1/changes?limit=1&class=A&since=3-0>; rel="next""#)
      let all = try await fixture.send(.get, "/v1/changes?since=0")
      #expect(all.text.hasPrefix(#"{"changes":[{"version":1,"n":0,"time":"#))
      #expect(all.text.contains(#""operation":"schema","before":[],"after":[{"name":"A","#))
    }
  }

  @Test func `whoever has rules is at the end of the log at once`() async throws {
    let attempt = try await IntrusionFixture()
    for since in ["now", String(attempt.fixture.store.version)] {
      let answer = try await attempt.send(Intrusion(.get, "/v1/changes?since=\(since)"), by: attempt.intruder)
      #expect(answer.text == #"{"changes":[],"next":"\#(attempt.fixture.store.version)"}"#)
    }
    await attempt.fixture.remove()
  }

  @Test func `newline-delimited JSON has all of them`() async throws {
    try await with { fixture in
      let fields = ["accept": "application/x-ndjson"]
      let all = try await fixture.send(.get, "/v1/changes?since=2", fields)
      #expect(timeless(all.text) == Self.update + "\n" + Self.insertion + "\n")
      let hundred = (0..<100).map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
      for _ in 0..<25 { _ = try await fixture.send(.post, "/v1/collections/B", json: "[\(hundred)]") }
      let many = try await fixture.send(.get, "/v1/changes?since=4", fields)
      #expect(many.text.split(separator: "\n").count == 2500)
      let some = try await fixture.send(.get, "/v1/changes?since=4&limit=1500", fields)
      #expect(some.text.split(separator: "\n").count == 1500)
    }
  }

  @Test func `Extended JSON says the types`() async throws {
    try await with { fixture in
      let answer = try await fixture.send(.get, "/v1/changes?since=3", ["accept": "application/ejson"])
      #expect(
        timeless(answer.text)
          == #"{"changes":[{"version":{"$numberLong":"4"},"n":{"$numberLong":"0"},"class":"B","#
          + #""id":{"$numberLong":"0"},"operation":"insert","after":{"text":"t"}}],"next":"4"}"#)
    }
  }

  @Test(
    arguments: [
      ("?since=5", 410, "position_expired"), ("?since=4-x", 400, "invalid_parameter"),
      ("?since=yesterday", 400, "invalid_parameter"), ("?since=-1", 400, "invalid_parameter"),
      ("?limit=0", 400, "limit_out_of_range"), ("?limit=1001", 400, "limit_out_of_range"),
      ("?sinse=1", 400, "unknown_parameter"),
    ] as [(String, UInt16, String)])
  func `what makes no sense has a code`(query: String, status: UInt16, code: String) async throws {
    try await with { fixture in
      let answer = try await fixture.send(.get, "/v1/changes\(query)")
      #expect((answer.status, answer.code) == (status, code))
    }
  }

  @Test func `links inside mixed values are written as reads write them`() async throws {
    let schema = #"[{"name":"M","primaryKey":"id","properties":{"id":"int","any":"mixed"}}]"#
    try await Fixture.with(schema) { fixture in
      let any = #"{"deep":[{"$ref":"M","$id":1}],"self":{"$ref":"M","$id":1}}"#
      _ = try await fixture.send(.post, "/v1/collections/M", json: #"{"id":1,"any":null}"#)
      _ = try await fixture.send(.patch, "/v1/collections/M/1", json: #"{"any":\#(any)}"#)
      #expect(try await fixture.send(.get, "/v1/collections/M/1").text == #"{"id":1,"any":\#(any)}"#)
      let changes = try await fixture.send(.get, "/v1/changes?since=2")
      #expect(changes.text.contains(#""after":{"any":\#(any)}"#), "\(changes.text)")
    }
  }

  @Test func `a rename is a parameter of the schema`() async throws {
    try await with { fixture in
      let renamed = """
        [{"name":"A","primaryKey":"id","properties":{"id":"int","m":"int?"}},
         {"name":"B","properties":{"text":"string"}}]
        """
      let wrong = try await fixture.send(.put, "/v1/schema?rename=A.x:m", json: renamed)
      #expect((wrong.status, wrong.code) == (422, "invalid_rename"))
      let malformed = try await fixture.send(.put, "/v1/schema?rename=A", json: renamed)
      #expect((malformed.status, malformed.code) == (400, "invalid_parameter"))
      let right = try await fixture.send(.put, "/v1/schema?rename=A.n:m", json: renamed)
      #expect(right.status == 200)
      #expect(try await fixture.send(.get, "/v1/collections/A/1").text == #"{"id":1,"m":6}"#)
    }
  }
}
