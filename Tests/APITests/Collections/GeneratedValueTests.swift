import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Values that the server makes, in every way in which objects come about.
@Suite struct GeneratedValueTests {
  private static let schema = #"""
    [{"name": "Doc", "primaryKey": "_id", "properties": {"_id": "objectId", "t": "string?",
       "made": {"type": "date", "default": "now"}, "tag": {"type": "uuid", "default": "uuid"}, "in": "Inner?"}},
     {"name": "Device", "primaryKey": "id", "properties": {"id": "uuid", "t": "string?"}},
     {"name": "Inner", "embedded": true, "properties": {"at": {"type": "date", "default": "now"}}}]
    """#

  @Test func `an object without its key is created with one, at the place that the answer names`()
    async throws
  {
    try await Fixture.with(Self.schema) { fixture in
      let made = try await fixture.send(.post, "/v1/collections/Doc", json: #"{"t": "x", "in": {}}"#)
      #expect(made.status == 201)
      let object = try Value(json: made.text)
      guard case .string(let id)? = object["_id"], case .string(let date)? = object["made"],
        case .string(let inner)? = object["in"]?["at"], case .string(let tag)? = object["tag"]
      else { return #expect(Bool(false), "\(made.text)") }
      #expect(ObjectID(id) != nil)
      #expect(Date(date) != nil && Date(inner) != nil && UUID(tag) != nil)
      #expect(made.fields["location"] == "/v1/collections/Doc/\(id)")
      let read = try await fixture.send(.get, "/v1/collections/Doc/\(id)")
      #expect(read.text == made.text)
    }
  }

  @Test(arguments: ["error", "modified", "all"])
  func `many get keys of their own, whatever happens to those that are there`(mode: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let query = "?mode=\(mode)"
      let many = try await fixture.send(
        .post, "/v1/collections/Device\(query)", json: #"[{"t": "a"}, {"t": "b"}, {}]"#)
      #expect(many.status == 201)
      let lines = try await fixture.send(
        .post, "/v1/collections/Device\(query)", ["content-type": "application/x-ndjson"],
        Array("{\"t\":\"c\"}\n{\"t\":\"d\"}\n".utf8))
      #expect(lines.status == 201)
      guard
        case .array(let objects) = try Value(
          json: try await fixture.send(.get, "/v1/collections/Device").text)
      else { return }
      #expect(Set(objects.map { $0["id"] }).count == 5)
    }
  }

  @Test func `transactions and repetitions follow it`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let transaction =
        #"{"operations": [{"op": "create", "class": "Device", "value": {"t": "a"}}, {"op": "create", "class": "Device", "value": {}}]}"#
      let key = ["idempotency-key": #""k1""#]
      let first = try await fixture.send(.post, "/v1/transactions", key, json: transaction)
      #expect(first.status == 200, "\(first.text)")
      let again = try await fixture.send(.post, "/v1/transactions", key, json: transaction)
      #expect(again.text == first.text)
      let count = try await fixture.send(.get, "/v1/collections/Device?aggregate=@count")
      #expect(count.text.contains("2"))
    }
  }

  @Test func `a PUT makes what is left out anew, but for the key`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      let id = "00112233445566778899aabb"
      let made = try await fixture.send(.put, "/v1/collections/Doc/\(id)", json: #"{"t": "x"}"#)
      #expect(made.status == 201)
      #expect(try Value(json: made.text)["_id"] == .string(id))
      #expect(try Value(json: made.text)["made"] != nil)
    }
  }

  @Test func `who may not write a generated property gets it nevertheless, and cannot choose it`()
    async throws
  {
    let admin = "administrators-key"
    let fixture = try await Fixture(Self.schema, adminKey: admin)
    let bearer = ["authorization": "Bearer \(admin)"]
    let roles =
      #"{"clerk": {"classes": {"Doc": {"read": true, "write": true, "fields": {"made": {"write": false}, "tag": {"write": false}}}}}}"#
    #expect(try await fixture.send(.put, "/v1/roles", bearer, json: roles).status == 200)
    let (_, key) = try await fixture.gateway.context.access.makeKey(name: "", role: "clerk", classes: [])
    let clerk = ["authorization": "Bearer \(key)"]
    let made = try await fixture.send(.post, "/v1/collections/Doc", clerk, json: #"{"t": "x"}"#)
    #expect(made.status == 201, "\(made.text)")
    #expect(try Value(json: made.text)["made"] != .null)
    let chosen = try await fixture.send(
      .post, "/v1/collections/Doc", clerk, json: #"{"made": "2020-01-01T00:00:00Z"}"#)
    #expect(chosen.status == 403)
    await fixture.remove()
  }
}
