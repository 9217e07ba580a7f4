import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Writes of somebody who does not see, or does not write, all properties, and writes that hide an object from their author.
@Suite struct PartialWriteTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","owner":{"type":"string","default":"me"},\
    "text":"string?","secret":{"type":"string","default":"none"},"stars":{"type":"int","default":3},\
    "next":"Note?"}},\
    {"name":"Safe","primaryKey":"id","properties":{"id":"int","code":"string"}}]
    """
  private static let roles = """
    {"member":{"classes":{"Note":{"read":"owner == 'me'","write":true,\
    "fields":{"secret":{"read":false},"stars":{"write":false}}},\
    "Safe":{"read":true,"write":true,"fields":{"code":{"read":false}}}}}}
    """
  private static let objects = """
    {"operations":[{"op":"create","class":"Note","value":{"id":1,"text":"a","secret":"S","stars":5}},\
    {"op":"create","class":"Note","value":{"id":2,"owner":"you","text":"b","secret":"S"}},\
    {"op":"create","class":"Safe","value":{"id":1,"code":"S"}}]}
    """

  private struct Caller {
    let fixture: Fixture
    let member: [String: String]
    let admin: [String: String]

    func send(
      _ method: GatehouseHTTP.Method, _ path: String, _ json: String? = nil,
      as type: String = "application/json"
    ) async throws -> Answer {
      let fields = member.merging(json == nil ? [:] : ["content-type": type]) { $1 }
      return try await fixture.send(method, "/v1/" + path, fields, json.map { Array($0.utf8) })
    }

    /// An object as it is.
    func whole(_ path: String) async throws -> String {
      try await fixture.send(.get, "/v1/collections/" + path, admin).text
    }
  }

  private func with(_ body: (Caller) async throws -> Void) async throws {
    let fixture = try await Fixture(Self.schema)
    for (target, json) in [("/v1/transactions", Self.objects)] {
      let answer = try await fixture.send(.post, target, json: json)
      try #require(answer.status == 200, "\(answer.text)")
    }
    let (admin, member) = try await fixture.callers(under: Self.roles)
    try await body(Caller(fixture: fixture, member: member, admin: admin))
    await fixture.remove()
  }

  @Test func `what is replaced is what is shown`() async throws {
    try await with { caller in
      let answer = try await caller.send(.put, "collections/Note/1", #"{"text":"new"}"#)
      #expect(
        (answer.status, answer.text) == (200, #"{"id":1,"owner":"me","text":"new","stars":5,"next":null}"#))
      #expect(
        try await caller.whole("Note/1")
          == #"{"id":1,"owner":"me","text":"new","secret":"S","stars":5,"next":null}"#)
      // As in a transaction.
      let operation = #"{"operations":[{"op":"put","class":"Note","id":1,"value":{"text":"newer"}}]}"#
      #expect(try await caller.send(.post, "transactions", operation).status == 200)
      #expect(
        try await caller.whole("Note/1")
          == #"{"id":1,"owner":"me","text":"newer","secret":"S","stars":5,"next":null}"#)
    }
  }

  @Test func `what was read can be written back, but nothing else to what is fixed`() async throws {
    try await with { caller in
      let read = try await caller.send(.get, "collections/Note/1").text
      #expect(try await caller.send(.put, "collections/Note/1", read).status == 200)
      let other = try await caller.send(
        .put, "collections/Note/1", read.replacing(#""stars":5"#, with: #""stars":6"#))
      #expect((other.status, other.code) == (403, "forbidden"))
      #expect(try await caller.whole("Note/1").contains(#""secret":"S","stars":5"#))
    }
  }

  @Test func `a new object has defaults where its author writes nothing`() async throws {
    try await with { caller in
      #expect(try await caller.send(.put, "collections/Note/9", #"{"text":"x"}"#).status == 201)
      let made = try await caller.send(.post, "collections/Note?mode=all", #"{"id":10}"#)
      #expect((made.status, made.text) == (201, #"{"id":10,"owner":"me","text":null,"stars":3,"next":null}"#))
      #expect(try await caller.whole("Note/9").contains(#""secret":"none","stars":3"#))
      #expect(try await caller.whole("Note/10").contains(#""secret":"none","stars":3"#))
    }
  }

  @Test(arguments: [
    (GatehouseHTTP.Method.post, "collections/Safe", #"{"id":2}"#, "application/json"),
    (.post, "collections/Safe?mode=modified", #"{"id":2}"#, "application/json"),
    (.post, "collections/Safe", #"{"id":2}"# + "\n", "application/x-ndjson"),
    (.put, "collections/Safe/2", "{}", "application/json"),
    (
      .post, "transactions", #"{"operations":[{"op":"create","class":"Safe","value":{"id":2}}]}"#,
      "application/json"
    ),
  ])
  func `an object is not made by somebody who cannot give it what it must have`(
    method: GatehouseHTTP.Method, path: String, json: String, type: String
  ) async throws {
    try await with { caller in
      let answer = try await caller.send(method, path, json, as: type)
      #expect((answer.status, answer.code) == (403, "forbidden"), "\(answer.text)")
      #expect(!answer.text.contains("code\u{201d}") && !answer.text.contains("/code"), "\(answer.text)")
      // One that there is can be replaced.
      #expect(try await caller.send(.put, "collections/Safe/1", "{}").status == 200)
      #expect(try await caller.whole("Safe") == #"[{"id":1,"code":"S"}]"#)
    }
  }

  @Test func `a write that hides an object from its author is done, and answered without it`() async throws {
    try await with { caller in
      let patched = try await caller.send(.patch, "collections/Note/1", #"{"owner":"you"}"#)
      #expect((patched.status, patched.text) == (204, ""))
      #expect(try await caller.send(.get, "collections/Note/1").code == "object_not_found")
      #expect(
        try await caller.send(.patch, "collections/Note/1", #"{"owner":"me"}"#).code == "object_not_found")
      let made = try await caller.send(.post, "collections/Note", #"{"id":5,"owner":"you"}"#)
      #expect((made.status, made.text) == (201, ""))
      #expect(made.fields["location"] == "/v1/collections/Note/5")
      let put = try await caller.send(.put, "collections/Note/6", #"{"owner":"you"}"#)
      #expect((put.status, put.text) == (201, ""))
      let json = #"{"operations":[{"op":"create","class":"Note","value":{"id":7,"owner":"you"}}]}"#
      let result = #""results":[{"op":"create","class":"Note","id":7,"effect":"created"}]"#
      #expect(try await caller.send(.post, "transactions", json).text.contains(result))
      #expect(try await caller.send(.get, "collections/Note").text == "[]")
      #expect(try await caller.whole("Note/5").contains(#""owner":"you""#))
    }
  }

  @Test func `the answer to a write shows what a read shows`() async throws {
    try await with { caller in
      let linked = try await caller.send(.patch, "collections/Note/1", #"{"next":2}"#)
      #expect(
        (linked.status, linked.text) == (200, #"{"id":1,"owner":"me","text":"a","stars":5,"next":null}"#))
      #expect(try await caller.whole("Note/1").contains(#""next":2"#))
      // Null is what it reads already.
      #expect(try await caller.send(.patch, "collections/Note/1", #"{"next":null}"#).status == 200)
      #expect(try await caller.whole("Note/1").contains(#""next":2"#))
      let through = try await caller.send(.put, "collections/Note/1/next/text", #""x""#)
      let absent = try await caller.send(.put, "collections/Note/3/next/text", #""x""#)
      #expect((through.status, absent.code) == (404, "object_not_found"))
      #expect(try await caller.whole("Note/2").contains(#""text":"b""#))
    }
  }
}
