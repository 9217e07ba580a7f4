import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// When writes are on the disk, and what their answers say of it.
@Suite struct DurabilityTests {
  private static let note = #"{"text":"a"}"#

  @Test(arguments: [
    (nil, nil, true), ("durability=full", "durability=full", true),
    ("durability=within-60s", "durability=within-60000ms", false),
    (#"durability="within:60s""#, "durability=within-60000ms", false),
    (#"Durability = "within-60000ms"; because=x"#, "durability=within-60000ms", false),
    ("return=minimal, durability=within-60s", "return=minimal, durability=within-60000ms", false),
    // RFC 7240 §2: of several with one name the first counts; what is not understood is left aside.
    ("durability=within-60s, durability=full", "durability=within-60000ms", false),
    ("durability=within-2h", nil, true), ("durability=within-0ms", nil, true), ("durability", nil, true),
    ("durability=", nil, true), (#"durability=""#, nil, true),
  ])
  func `a request says when it is on the disk`(preference: String?, applied: String?, isSettled: Bool)
    async throws
  {
    try await Fixture.with { fixture in
      let fields = preference.map { ["prefer": $0] } ?? [:]
      let answer = try await fixture.send(.post, "/v1/collections/Note", fields, json: Self.note)
      #expect(answer.status == 201, "\(answer.text)")
      #expect(answer.fields["preference-applied"] == applied)
      #expect(fixture.store.isSettled == isSettled)
    }
  }

  @Test(arguments: [
    (GatehouseHTTP.Method.post, "/v1/collections/Note", #"[{"text":"a"},{"text":"b"}]"#),
    (.put, "/v1/collections/Country/DE", #"{"code":"DE","name":"Germany"}"#),
    (.patch, "/v1/collections/Country/DE", #"{"name":"D"}"#),
    (.patch, "/v1/collections/Country?filter=code%20%3D%3D%20%22DE%22", #"{"$set":{"name":"D"}}"#),
    (.put, "/v1/collections/Country/DE/name", #""D""#),
    (.delete, "/v1/collections/Country/DE", ""), (.delete, "/v1/collections/City?filter=TRUEPREDICATE", ""),
    (
      .post, "/v1/transactions", #"{"operations":[{"op":"create","class":"Note","value":{"text":"a"}}]}"#
    ),
  ])
  func `every way of writing objects does`(method: GatehouseHTTP.Method, path: String, content: String)
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let fields = ["prefer": "durability=within-60s"]
      let answer =
        if content.isEmpty {
          try await fixture.send(method, path, fields)
        } else {
          try await fixture.send(method, path, fields, json: content)
        }
      #expect((200..<300).contains(answer.status), "\(answer.text)")
      #expect(answer.fields["preference-applied"] == "durability=within-60000ms")
      #expect(!fixture.store.isSettled)
    }
  }

  @Test func `a refusal and a change of the schema say nothing of it`() async throws {
    try await Fixture.with { fixture in
      let fields = ["prefer": "durability=within-60s"]
      let refused = try await fixture.send(.post, "/v1/collections/Note", fields, json: #"{"text":1}"#)
      #expect(refused.status == 422 && refused.fields["preference-applied"] == nil)
      let schema = try await fixture.send(.put, "/v1/schema", fields, json: Fixture.schema)
      #expect(schema.status == 200 && schema.fields["preference-applied"] == nil)
      let read = try await fixture.send(.get, "/v1/collections/Note", fields)
      #expect(read.status == 200 && read.fields["preference-applied"] == nil)
      #expect(fixture.store.isSettled)
    }
  }

  @Test func `where the setting does not wait for the disk, answers say so, and requests can ask for more`()
    async throws
  {
    let fixture = try await Fixture(durability: .within(milliseconds: 3_600_000))
    let relaxed = try await fixture.send(.post, "/v1/collections/Note", json: Self.note)
    #expect(relaxed.fields["preference-applied"] == "durability=within-3600000ms")
    #expect(!fixture.store.isSettled)
    let full = try await fixture.send(
      .post, "/v1/collections/Note", ["prefer": "durability=full"], json: Self.note)
    #expect(full.fields["preference-applied"] == "durability=full")
    #expect(fixture.store.isSettled)
    // Nothing matches, and so nothing is written.
    _ = try await fixture.send(.post, "/v1/collections/Note", json: Self.note)
    let nothing = try await fixture.send(
      .delete, "/v1/collections/Note?filter=text%20%3D%3D%20%22none%22", ["prefer": "durability=full"])
    #expect(nothing.fields["preference-applied"] == "durability=full")
    #expect(fixture.store.isSettled)
    await fixture.remove()
  }

  @Test func `a repetition says what it asked for itself`() async throws {
    try await Fixture.with { fixture in
      let fields = ["idempotency-key": "\"k\"", "prefer": "durability=within-60s"]
      _ = try await fixture.send(.post, "/v1/collections/Note", fields, json: Self.note)
      #expect(!fixture.store.isSettled)
      let again = try await fixture.send(
        .post, "/v1/collections/Note", ["idempotency-key": "\"k\"", "prefer": "durability=full"],
        json: Self.note)
      #expect(again.fields["preference-applied"] == "durability=full")
      #expect(fixture.store.isSettled)
    }
  }

  @Test func `streams and the change log tell nothing that a crash could take back`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch("/v1/collections/Note")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(
        .post, "/v1/collections/Note", ["prefer": "durability=within-60s"], json: Self.note)
      await fixture.loop.run {}
      #expect(!fixture.store.isSettled && !watcher.text.contains("insert"))
      let changes = try await fixture.send(.get, "/v1/changes?since=3")
      #expect(changes.text.contains(#""operation":"insert""#))
      #expect(fixture.store.isSettled)
      #expect(await watcher.events(3).last?.id == "4-0")
      // Who comes later is shown no state that is not on the disk.
      _ = try await fixture.send(
        .post, "/v1/collections/Note", ["prefer": "durability=within-60s"], json: Self.note)
      #expect(!fixture.store.isSettled)
      let other = try await fixture.watch("/v1/collections/Note")
      #expect(await other.events(through: "ready").last?.data == #"{"position":"5"}"#)
      #expect(fixture.store.isSettled)
    }
  }
}
