import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

@Suite struct IdempotencyTests {
  private static let key = ["idempotency-key": "\"8e03978e-40d5\""]
  private static let notes = "/v1/collections/Note"

  @Test(arguments: [
    ("/v1/collections/Note", "application/json", #"{"text":"a"}"#),
    ("/v1/collections/Note", "application/json", #"[{"text":"a"},{"text":"b"}]"#),
    ("/v1/collections/Note", "application/x-ndjson", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n"),
    (
      "/v1/transactions", "application/json",
      #"{"operations":[{"op":"create","class":"Note","value":{"text":"a"}}]}"#
    ),
  ])
  func `a repetition has the same answer and no effect`(
    path: String, type: String, content: String
  ) async throws {
    try await Fixture.with { fixture in
      let fields = IdempotencyTests.key.merging(["content-type": type]) { $1 }
      let first = try await fixture.send(.post, path, fields, Array(content.utf8))
      #expect(first.status == 201 || first.status == 200)
      let before = try await fixture.everything()
      let second = try await fixture.send(.post, path, fields, Array(content.utf8))
      #expect(second.status == first.status)
      #expect(second.fields == first.fields)
      #expect(second.content == first.content)
      #expect(try await fixture.everything() == before)
      // Without the key, or with another one, it is another request.
      let other = try await fixture.send(
        .post, path, ["content-type": type, "idempotency-key": "\"other\""], Array(content.utf8))
      #expect(other.status == first.status)
      #expect(try await fixture.everything() != before)
    }
  }

  @Test func `a stored answer that cannot be read is damage`() throws {
    var commit = Commit(version: 7, results: [])
    commit.repeated = [1, 2, 3]
    #expect(throws: StorageError.corrupt("a stored answer")) { try commit.withReadableAnswer() }
    commit.repeated = Response(status: .noContent).stored
    #expect(try commit.withReadableAnswer().version == 7)
  }

  @Test(arguments: [
    ("/v1/collections/Thing/1/scores", GatehouseHTTP.Method.post, "[9]"),
    ("/v1/collections/Thing/1/scores", .patch, #"{"move":{"from":0,"to":2}}"#),
    ("/v1/collections/Thing/1", .patch, #"{"$inc":{"count":1}}"#),
    ("/v1/collections/Thing?filter=count%20%3E%200", .patch, #"{"$push":{"scores":1}}"#),
  ])
  func `a change that comes twice is made once`(path: String, method: GatehouseHTTP.Method, content: String)
    async throws
  {
    try await Fixture.with(EditTests.schema) { fixture in
      _ = try await fixture.send(.put, "/v1/collections/Thing/1", json: EditTests.thing)
      let before = try await fixture.everything()
      let first = try await fixture.send(method, path, IdempotencyTests.key, json: content)
      #expect(first.status == 200 || first.status == 204, "\(first.text)")
      let after = try await fixture.everything()
      #expect(after != before)
      let second = try await fixture.send(method, path, IdempotencyTests.key, json: content)
      #expect((second.status, second.fields, second.content) == (first.status, first.fields, first.content))
      #expect(try await fixture.everything() == after)
      let other = try await fixture.send(method, path, IdempotencyTests.key, json: "  " + content)
      #expect((other.status, other.code) == (422, "idempotency_key_reused"))
    }
  }

  @Test(arguments: [("scopes", #"{"activity":"a"}"#), ("events", #"{"activity":"a"}"#)])
  func `what keeps no answer takes no key`(path: String, content: String) async throws {
    try await Fixture.with(Auditing()) { fixture in
      let answer = try await fixture.send(.post, "/v1/audit/" + path, IdempotencyTests.key, json: content)
      #expect((answer.status, answer.code) == (400, "invalid_precondition"))
    }
  }

  @Test func `another request with the same key is refused`() async throws {
    try await Fixture.with { fixture in
      _ = try await fixture.send(.post, IdempotencyTests.notes, IdempotencyTests.key, json: #"{"text":"a"}"#)
      let before = try await fixture.everything()
      for (path, content) in [
        (IdempotencyTests.notes, #"{"text":"b"}"#), (IdempotencyTests.notes + "?mode=all", #"{"text":"a"}"#),
        ("/v1/transactions", #"{"operations":[]}"#),
      ] {
        let answer = try await fixture.send(.post, path, IdempotencyTests.key, json: content)
        #expect(answer.status == 422)
        #expect(answer.code == "idempotency_key_reused")
      }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `an empty request with the key of another one is refused`() async throws {
    try await Fixture.with { fixture in
      _ = try await fixture.send(.post, IdempotencyTests.notes, IdempotencyTests.key, json: #"{"text":"a"}"#)
      let fields = IdempotencyTests.key.merging(["content-type": "application/x-ndjson"]) { $1 }
      let other = try await fixture.send(.post, IdempotencyTests.notes, fields, [])
      #expect(other.status == 422)
      #expect(other.code == "idempotency_key_reused")
    }
  }

  @Test func `a request that was refused may come again`() async throws {
    try await Fixture.with { fixture in
      let city = #"{"_id":1,"name":"x","country":"XX"}"#
      let refused = try await fixture.send(.post, "/v1/collections/City", IdempotencyTests.key, json: city)
      #expect(refused.code == "link_target_not_found")
      _ = try await fixture.send(.put, "/v1/collections/Country/XX", json: #"{"name":"x"}"#)
      let done = try await fixture.send(.post, "/v1/collections/City", IdempotencyTests.key, json: city)
      #expect(done.status == 201)
    }
  }

  @Test func `a request whose twin is still being answered is refused`() async throws {
    try await Fixture.with { fixture in
      let body = Gate()
      let request = Request(
        method: .post, target: Target(path: IdempotencyTests.notes, query: nil),
        fields: Fields([
          Fields.Line(name: "content-type", value: "application/json"),
          Fields.Line(name: "idempotency-key", value: "\"8e03978e-40d5\""),
        ]), body: .stream(body))
      let first = Task { try await Answer(fixture.gateway.respond(to: request)) }
      await body.isAsked()
      let second = try await fixture.send(
        .post, IdempotencyTests.notes, IdempotencyTests.key, json: #"{"text":"a"}"#)
      #expect(second.status == 409)
      #expect(second.code == "idempotency_key_in_use")
      body.open(Array(#"{"text":"a"}"#.utf8))
      #expect(try await first.value.status == 201)
      let third = try await fixture.send(
        .post, IdempotencyTests.notes, IdempotencyTests.key, json: #"{"text":"a"}"#)
      #expect(third.text == #"{"_key":0,"text":"a"}"#)
    }
  }

  @Test(arguments: [
    "abc", "\"\"", "\"a", "\"a\"b\"", "\"\\a\"", "\"\\", "\"\u{e9}\"",
    "\"\(String(repeating: "x", count: 256))\"",
    "\"a\", \"b\"",
  ])
  func `a malformed key is refused`(key: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, IdempotencyTests.notes, ["idempotency-key": key], json: #"{"text":"a"}"#)
      #expect(answer.status == 400)
      #expect(answer.code == "invalid_idempotency_key")
      #expect(try await fixture.send(.get, IdempotencyTests.notes).text == "[]")
    }
  }

  @Test(arguments: [("\"a\"", "a"), ("  \"a b\" ", "a b"), (#""\"\\""#, #""\"#)])
  func `a key is a structured string`(field: String, text: String) throws {
    #expect(try IdempotencyKey(field).text == text)
  }
}

/// Content that comes when the test says so.
private final class Gate: BodyReader {
  private struct State {
    var piece: [UInt8]?
    var isAsked = false
    var isDone = false
    var reader: CheckedContinuation<Void, Never>?
    var asker: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func read() async throws -> [UInt8]? {
    await withCheckedContinuation { continuation in
      let (now, asker) = state.withLock { state in
        state.isAsked = true
        defer { state.asker = nil }
        if state.piece != nil || state.isDone { return (true, state.asker) }
        state.reader = continuation
        return (false, state.asker)
      }
      asker?.resume()
      if now { continuation.resume() }
    }
    return state.withLock { state in
      defer { (state.piece, state.isDone) = (nil, true) }
      return state.piece
    }
  }

  /// Waits until someone reads.
  func isAsked() async {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        if !state.isAsked { state.asker = continuation }
        return state.isAsked
      }
      if now { continuation.resume() }
    }
  }

  func open(_ bytes: [UInt8]) {
    let reader = state.withLock { state in
      state.piece = bytes
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}
