import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Values that no two objects may have, in every way in which objects come about and change.
@Suite struct UniqueTests {
  static let schema = #"""
    [{"name": "User", "primaryKey": "_id", "unique": [["a", "b"]], "properties": {"_id": "int",
       "mail": {"type": "string?", "unique": true}, "a": "int?", "b": "int?", "in": "Inner?", "chief": "User",
       "seat": {"type": "object", "objectType": "Seat", "unique": true}}},
     {"name": "Seat", "primaryKey": "_id", "properties": {"_id": "string"}},
     {"name": "Inner", "embedded": true, "properties": {"badge": {"type": "int?", "unique": true}}}]
    """#

  private static let first =
    #"{"_id": 1, "mail": "x@y", "a": 1, "b": 1, "in": {"badge": 7}, "seat": "12A"}"#

  private func with(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      #expect(try await fixture.send(.post, "/v1/collections/Seat", json: #"{"_id": "12A"}"#).status == 201)
      #expect(try await fixture.send(.post, "/v1/collections/User", json: Self.first).status == 201)
      #expect(try await fixture.send(.post, "/v1/collections/User", json: #"{"_id": 2}"#).status == 201)
      #expect(try await fixture.send(.post, "/v1/collections/User", json: #"{"_id": 3}"#).status == 201)
      try await body(fixture)
    }
  }

  @Test(
    arguments: [
      (.post, "/v1/collections/User", #"{"_id": 9, "mail": "x@y"}"#),
      (.post, "/v1/collections/User?mode=all", #"{"_id": 2, "mail": "x@y"}"#),
      (.post, "/v1/collections/User?mode=modified", #"[{"_id": 9}, {"_id": 2, "mail": "x@y"}]"#),
      (.put, "/v1/collections/User/9", #"{"mail": "x@y"}"#),
      (.put, "/v1/collections/User/2", #"{"mail": "x@y"}"#),
      (.patch, "/v1/collections/User/2", #"{"mail": "x@y"}"#),
      (.put, "/v1/collections/User/2/mail", #""x@y""#),
      (.patch, "/v1/collections/User?filter=_id%20%3D%3D%202", #"{"mail": "x@y"}"#),
      (
        .post, "/v1/transactions",
        #"{"operations": [{"op": "create", "class": "User", "value": {"_id": 9, "mail": "x@y"}}]}"#
      ),
    ] as [(GatehouseHTTP.Method, String, String)])
  func `a value that another object has is refused`(
    method: GatehouseHTTP.Method, target: String, json: String
  ) async throws {
    try await with { fixture in
      let fields = method == .patch ? ["content-type": "application/merge-patch+json"] : [:]
      let answer = try await fixture.send(method, target, fields, json: json)
      #expect(answer.status == 409, "\(answer.text)")
      let problem = try Value(json: answer.text)
      #expect(problem["code"] == .string("not_unique"))
      #expect(problem["class"] == .string("User"))
      #expect(problem["properties"] == .array([.string("mail")]))
      #expect(problem["values"] == .array([.string("x@y")]))
      let count = try await fixture.send(.get, "/v1/collections/User?aggregate=@count")
      #expect(count.text.contains("3"))
    }
  }

  @Test(
    arguments: [
      (#"{"_id": 9, "a": 1, "b": 1}"#, "User", ["a", "b"], "[1,1]"),
      (#"{"_id": 9, "in": {"badge": 7}}"#, "Inner", ["badge"], "[7]"),
      (#"{"_id": 9, "seat": "12A"}"#, "User", ["seat"], #"["12A"]"#),
    ])
  func `several values together, links and embedded objects as well`(
    json: String, name: String, properties: [String], values: String
  ) async throws {
    try await with { fixture in
      for target in ["", "?mode=all"] {
        let answer = try await fixture.send(.post, "/v1/collections/User\(target)", json: json)
        let problem = try Value(json: answer.text)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(problem["class"] == .string(name))
        #expect(problem["properties"] == .array(properties.map { .string($0) }))
        #expect(problem["values"]?.plainJSON.elementsEqual(values.utf8) == true, "\(answer.text)")
      }
    }
  }

  @Test func `a link that another object has is told by the primary key that it leads to`() async throws {
    try await with { fixture in
      let answer = try await fixture.send(
        .patch, "/v1/collections/User/2", ["content-type": "application/merge-patch+json"],
        json: #"{"seat": "12A"}"#)
      #expect(answer.status == 409)
      #expect(try Value(json: answer.text)["values"] == .array([.string("12A")]))
    }
  }

  @Test func `objects without a value, and the object itself, do not count`() async throws {
    try await with { fixture in
      for json in [#"{"_id": 4, "mail": null, "a": 1}"#, #"{"_id": 5, "a": 1}"#, #"{"_id": 6, "b": 1}"#] {
        let answer = try await fixture.send(.post, "/v1/collections/User", json: json)
        #expect(answer.status == 201)
      }
      let answer = try await fixture.send(.put, "/v1/collections/User/1", json: Self.first)
      #expect(answer.status == 200)
    }
  }

  @Test func `values that are unique together change together`() async throws {
    try await with { fixture in
      // Others have 1 and 2, and 2 and 1, which it is on the way.
      for json in [#"{"_id": 2, "a": 1, "b": 2}"#, #"{"_id": 3, "a": 2, "b": 1}"#] {
        #expect(try await fixture.send(.post, "/v1/collections/User?mode=all", json: json).status == 200)
      }
      let answers = [
        try await fixture.send(.put, "/v1/collections/User/1", json: #"{"a": 2, "b": 2}"#),
        try await fixture.send(
          .patch, "/v1/collections/User/1", ["content-type": "application/merge-patch+json"],
          json: #"{"a": 1, "b": 1}"#),
        try await fixture.send(
          .post, "/v1/collections/User?mode=modified", json: #"{"_id": 1, "a": 2, "b": 2}"#),
      ]
      #expect(answers.map(\.status) == [200, 200, 200])
      let read = try await fixture.send(.get, "/v1/collections/User/1?fields=a,b")
      #expect(read.text.contains(#""a":2,"b":2"#), "\(read.text)")
    }
  }

  @Test func `an import with a value twice is refused as a whole, and names the line`() async throws {
    try await with { fixture in
      let lines = "{\"_id\":10,\"mail\":\"a\"}\n{\"_id\":11,\"mail\":\"b\"}\n{\"_id\":12,\"mail\":\"a\"}\n"
      let answer = try await fixture.send(
        .post, "/v1/collections/User", ["content-type": "application/x-ndjson"], Array(lines.utf8))
      #expect(answer.status == 409)
      let problem = try Value(json: answer.text)
      #expect(problem["code"] == .string("not_unique"))
      #expect(answer.text.contains(#""line":3"#), "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/collections/User/10").status == 404)
    }
  }

  @Test func `a schema is refused with the first objects that are the same`() async throws {
    let plain =
      #"[{"name": "T", "primaryKey": "id", "properties": {"id": "string", "n": "int?", "m": "int?"}}]"#
    try await Fixture.with(plain) { fixture in
      let objects = #"""
        [{"id": "a", "n": 1, "m": 1}, {"id": "b", "n": 2, "m": 1}, {"id": "c", "n": 1}, {"id": "d", "n": 2, "m": 2},
         {"id": "e", "n": 1, "m": 1}, {"id": "f"}, {"id": "g"}]
        """#
      #expect(try await fixture.send(.post, "/v1/collections/T", json: objects).status == 201)
      let unique = plain.replacing(#""n": "int?""#, with: #""n": {"type": "int?", "unique": true}"#)
      let refused = try await fixture.send(.put, "/v1/schema", json: unique)
      #expect(refused.status == 409)
      let problem = try Value(json: refused.text)
      #expect(problem["code"] == .string("schema_conflict"))
      #expect(problem["properties"] == .array([.string("n")]))
      #expect(
        problem["duplicates"]?.plainJSON.elementsEqual(
          #"[{"keys":["a","e"],"count":3},{"keys":["b","d"],"count":2}]"#.utf8) == true, "\(refused.text)")
      let together = plain.replacing(#""primaryKey""#, with: #""unique": [["m", "n"]], "primaryKey""#)
      #expect(try await fixture.send(.put, "/v1/schema", json: together).status == 409)
      // Nothing of it was done.
      #expect(
        try await fixture.send(.post, "/v1/collections/T", json: #"{"id": "h", "n": 1, "m": 1}"#).status
          == 201)
      for id in ["a", "h", "c", "d"] {
        #expect(try await fixture.send(.delete, "/v1/collections/T/\(id)").status == 204)
      }
      #expect(try await fixture.send(.put, "/v1/schema", json: unique).status == 200)
      #expect(try await fixture.send(.put, "/v1/schema", json: together).status == 200)
      // No longer unique by itself.
      #expect(
        try await fixture.send(.post, "/v1/collections/T", json: #"{"id": "i", "n": 2, "m": 5}"#).status
          == 201)
      #expect(
        try await fixture.send(.post, "/v1/collections/T", json: #"{"id": "j", "n": 2, "m": 5}"#).status
          == 409)
    }
  }

  @Test func `whoever does not see a property is not told its name or values`() async throws {
    let admin = "administrators-key"
    let fixture = try await Fixture(Self.schema, adminKey: admin)
    let bearer = ["authorization": "Bearer \(admin)"]
    let roles =
      #"{"clerk": {"classes": {"User": {"read": true, "write": true, "fields": {"b": {"read": false, "write": false}}}}}}"#
    #expect(try await fixture.send(.put, "/v1/roles", bearer, json: roles).status == 200)
    let objects = #"[{"_id": 1, "a": 1, "b": 42}, {"_id": 2, "a": 2, "b": 42}]"#
    #expect(try await fixture.send(.post, "/v1/collections/User", bearer, json: objects).status == 201)
    let (_, key) = try await fixture.gateway.context.access.makeKey(name: "", role: "clerk", classes: [])
    let answer = try await fixture.send(
      .patch, "/v1/collections/User/2",
      ["authorization": "Bearer \(key)", "content-type": "application/merge-patch+json"], json: #"{"a": 1}"#)
    #expect(answer.status == 409)
    let problem = try Value(json: answer.text)
    #expect(problem["properties"] == .array([.string("a")]))
    #expect(problem["values"] == nil)
    #expect(!answer.text.contains("42") && !answer.text.contains("“b”"))
    await fixture.remove()
  }
}
