import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Dates that tell when an object changed last.
@Suite struct UpdateTimeTests {
  private static let schema = #"""
    [{"name": "Note", "primaryKey": "_id", "properties": {"_id": "int", "text": "string?", "tags": "string[]",
       "at": {"type": "date", "onUpdate": "now"}, "next": "Note", "part": "Part",
       "made": {"type": "date", "default": "now"}}},
     {"name": "Part", "embedded": true, "properties": {"n": "int"}}]
    """#

  /// A year long gone, which no clock says.
  private static let forged = "1999-01-01T00:00:00Z"

  private func at(_ fixture: Fixture, _ id: Int) async throws -> String {
    let read = try await fixture.send(.get, "/v1/collections/Note/\(id)?fields=at")
    guard case .string(let text)? = try Value(json: read.text)["at"] else { return read.text }
    return text
  }

  @Test(
    arguments: [
      (.put, "/1", #"{"text": "b"}"#), (.put, "/1", #"{"text": "b", "at": "1999-01-01T00:00:00Z"}"#),
      (.patch, "/1", #"{"text": "b", "at": "1999-01-01T00:00:00Z"}"#), (.put, "/1/text", #""b""#),
      (.post, "/1/tags", #""b""#), (.patch, "/1", #"{"part": {"n": 2}}"#), (.put, "/1/part/n", "5"),
      (.post, "?mode=all", #"{"_id": 1, "text": "b", "at": "1999-01-01T00:00:00Z"}"#),
      (.post, "?mode=modified", #"{"_id": 1, "text": "b", "at": "1999-01-01T00:00:00Z"}"#),
      (.patch, "?filter=_id%20%3D%3D%201", #"{"text": "c"}"#), (.delete, "/2", ""),
    ] as [(GatehouseHTTP.Method, String, String)])
  func `each change is stamped, and values that are given do not count`(
    method: GatehouseHTTP.Method, target: String, json: String
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let first =
        #"[{"_id": 2}, {"_id": 1, "text": "a", "at": "\#(Self.forged)", "next": 2, "part": {"n": 1}}]"#
      #expect(try await fixture.send(.post, "/v1/collections/Note", json: first).status == 201)
      let before = try await at(fixture, 1)
      #expect(before > "2020")
      let version = fixture.store.version
      let fields = method == .patch ? ["content-type": "application/merge-patch+json"] : [:]
      let answer = try await fixture.send(method, "/v1/collections/Note\(target)", fields, json: json)
      #expect(answer.status < 300, "\(answer.text)")
      let after = try await at(fixture, 1)
      #expect(after > before)
      let changes = try await fixture.send(.get, "/v1/changes?since=\(version)&class=Note")
      #expect(changes.text.contains(#""at":"\#(after)""#), "\(changes.text)")
    }
  }

  @Test(
    arguments: [
      (.patch, "/1", #"{"at": "1999-01-01T00:00:00Z"}"#), (.put, "/1/at", #""1999-01-01T00:00:00Z""#),
      (.post, "?mode=modified", #"{"_id": 1, "text": "a", "at": "1999-01-01T00:00:00Z"}"#),
      (.patch, "/1", "{}"), (.put, "/1/tags", "nothing"),
    ] as [(GatehouseHTTP.Method, String, String)])
  func `what changes nothing is no change`(
    method: GatehouseHTTP.Method, target: String, json: String
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      #expect(
        try await fixture.send(.post, "/v1/collections/Note", json: #"{"_id": 1, "text": "a"}"#).status == 201
      )
      let (before, version) = (try await at(fixture, 1), fixture.store.version)
      let fields = method == .patch ? ["content-type": "application/merge-patch+json"] : [:]
      _ = try await fixture.send(method, "/v1/collections/Note\(target)", fields, json: json)
      #expect(try await at(fixture, 1) == before)
      #expect(fixture.store.version == version)
    }
  }

  @Test func `all that a transaction changes has one time, and the answers show it`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let lines = (1...50).map { "{\"_id\":\($0),\"at\":\"\(Self.forged)\"}\n" }.joined()
      #expect(
        try await fixture.send(
          .post, "/v1/collections/Note", ["content-type": "application/x-ndjson"], Array(lines.utf8)
        ).status == 201)
      let operations = #"""
        {"operations": [{"op": "create", "class": "Note", "value": {"_id": 99}}, {"op": "update", "class": "Note", "id": 1, "set": {"text": "x"}},
          {"op": "put", "class": "Note", "id": 2, "value": {}}, {"op": "update", "class": "Note", "id": 1, "set": {"text": "y"}}]}
        """#
      #expect(try await fixture.send(.post, "/v1/transactions", json: operations).status == 200)
      let times = [try await at(fixture, 99), try await at(fixture, 1), try await at(fixture, 2)]
      #expect(Set(times).count == 1)
      #expect(try await at(fixture, 50) == (try await at(fixture, 49)))
      let created = try await fixture.send(.post, "/v1/collections/Note", json: #"{"_id": 100}"#)
      #expect(created.text.contains(#""at":"\#(try await at(fixture, 100))""#))
      let patched = try await fixture.send(
        .patch, "/v1/collections/Note/100", ["content-type": "application/merge-patch+json"],
        json: #"{"text": "z"}"#)
      #expect(patched.text.contains(#""at":"\#(try await at(fixture, 100))""#), "\(patched.text)")
    }
  }

  @Test func `whoever may not write the property gets it all the same`() async throws {
    let admin = "administrators-key"
    let fixture = try await Fixture(Self.schema, adminKey: admin)
    let bearer = ["authorization": "Bearer \(admin)"]
    let roles =
      #"{"clerk": {"classes": {"Note": {"read": true, "write": true, "fields": {"at": {"write": false}}}}}}"#
    #expect(try await fixture.send(.put, "/v1/roles", bearer, json: roles).status == 200)
    let (_, key) = try await fixture.gateway.context.access.makeKey(name: "", role: "clerk", classes: [])
    let clerk = ["authorization": "Bearer \(key)"]
    let created = try await fixture.send(.post, "/v1/collections/Note", clerk, json: #"{"_id": 1}"#)
    #expect(created.status == 201, "\(created.text)")
    guard case .string(let before)? = try Value(json: created.text)["at"] else { return #expect(Bool(false)) }
    let put = try await fixture.send(.put, "/v1/collections/Note/1", clerk, json: #"{"text": "x"}"#)
    #expect(put.status == 200, "\(put.text)")
    guard case .string(let after)? = try Value(json: put.text)["at"] else { return #expect(Bool(false)) }
    #expect(after > before)
    let forging = try await fixture.send(
      .post, "/v1/collections/Note", clerk, json: #"{"_id": 2, "at": "\#(Self.forged)"}"#)
    #expect(forging.status == 403)
    await fixture.remove()
  }

  @Test func `objects that were there have the time of the change, and embedded classes have no such dates`()
    async throws
  {
    try await Fixture.with(#"[{"name": "T", "primaryKey": "_id", "properties": {"_id": "int"}}]"#) {
      fixture in
      #expect(try await fixture.send(.post, "/v1/collections/T", json: #"{"_id": 1}"#).status == 201)
      func apply(_ property: String, _ kind: String = "") async throws -> UInt16 {
        try await fixture.send(
          .put, "/v1/schema",
          json:
            #"[{"name": "T", "primaryKey": "_id", "properties": {"_id": "int", "at": \#(property)}}\#(kind)]"#
        ).status
      }
      #expect(try await apply(#"{"type": "string", "onUpdate": "now"}"#) == 422)
      #expect(try await apply(#"{"type": "date", "onUpdate": "then"}"#) == 422)
      #expect(
        try await apply(
          #""date?""#,
          #", {"name": "E", "embedded": true, "properties": {"at": {"type": "date", "onUpdate": "now"}}}"#)
          == 422)
      #expect(try await apply(#"{"type": "date", "onUpdate": "now"}"#) == 200)
      let read = try await fixture.send(.get, "/v1/collections/T/1")
      #expect(read.text.contains(#""at":"20"#))
    }
  }
}
