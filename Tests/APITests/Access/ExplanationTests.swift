import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// An explanation tells a caller with rules nothing of these, nor of what they hide.
@Suite struct ExplanationTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","n":"int","owner":"string",\
    "secret":{"type":"string","indexed":true},"text":{"type":"string","indexed":true},"next":"Note?"},\
    "indexes":[{"properties":["n","-secret"]}]}]
    """
  private static let roles = """
    {"member":{"classes":{"Note":{"read":"owner == 'MINE' AND secret != 'TREASURE'",\
    "fields":{"secret":{"read":false},"owner":{"read":false}}}}}}
    """

  private func explain(
    _ query: String, as role: String, in fixture: Fixture
  ) async throws -> Answer {
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: []).text
    return try await fixture.send(
      .get, "/v1/collections/Note?explain=true&\(VisibleQuestion.query(query))",
      ["authorization": "Bearer \(key)"])
  }

  private func with(_ body: (Fixture) async throws -> Void) async throws {
    let fixture = try await Fixture(Self.schema)
    let notes = (0..<30).map { id in
      let owner = id % 3 == 0 ? "MINE" : "YOURS"
      return #"{"id":\#(id),"n":\#(id % 5),"owner":"\#(owner)","secret":"s\#(id)","text":"t\#(id % 2)"}"#
    }
    let made = try await fixture.send(
      .post, "/v1/collections/Note", json: "[\(notes.joined(separator: ","))]")
    try #require(made.status == 201, "\(made.text)")
    try #require(try await fixture.send(.put, "/v1/roles", json: Self.roles).status == 200)
    try await body(fixture)
    await fixture.remove()
  }

  @Test(arguments: [
    "", "sort=n", "filter=n == 1", "filter=n == 1&sort=n", "filter=next.n == 2",
    "filter=text == 't1'&sort=-n",
    "filter=next.text ENDSWITH 'x' OR @links.@count > 1",
  ])
  func `no name that is hidden, and no rule, is in it`(query: String) async throws {
    try await with { fixture in
      let answer = try await explain(query, as: "member", in: fixture)
      #expect(answer.status == 200, "\(answer.text)")
      for word in ["secret", "owner", "MINE", "TREASURE"] {
        #expect(!answer.text.contains(word), "\(answer.text)")
      }
      #expect(answer.text.contains(#""objects":10,"#), "\(answer.text)")
      let whole = try await explain(query, as: "admin", in: fixture)
      #expect(whole.text.contains(#""objects":30,"#), "\(whole.text)")
    }
  }

  @Test func `an index by what is hidden has no name`() async throws {
    try await with { fixture in
      #expect(try await explain("filter=n == 1", as: "admin", in: fixture).text.contains("secret"))
      let answer = try await explain("filter=n == 1", as: "member", in: fixture)
      #expect(answer.text.contains("USING INDEX ? ") || answer.text.contains("SCAN"), "\(answer.text)")
      #expect(answer.text.contains(#""indexes":[],"#), "\(answer.text)")
      let other = try await explain("filter=text == 't1'", as: "member", in: fixture)
      #expect(other.text.contains(##""indexes":["Note.text#index"],"##), "\(other.text)")
      // The rows are those that match of what is seen.
      #expect(other.text.contains(#""estimatedRows":5,"#), "\(other.text)")
    }
  }
}
