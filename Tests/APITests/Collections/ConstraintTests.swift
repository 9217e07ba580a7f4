import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Rules for values and objects, in every way in which objects come about and change.
@Suite struct ConstraintTests {
  static let schema = #"""
    [{"name": "User", "primaryKey": "_id", "check": "age < 18 OR color != 'red'", "properties": {"_id": "int",
       "age": {"type": "int?", "minimum": 0, "maximum": 150}, "color": {"type": "string?", "enum": ["red", "green"]},
       "tags": {"type": "string[]", "maxItems": 2, "maxLength": 3}, "marks": {"type": "int{}", "maximum": 5, "maxItems": 2},
       "set": {"type": "int<>", "maxItems": 2}, "home": "Home", "homes": "Home[]",
       "friends": {"type": "User[]"}, "best": {"type": "list", "objectType": "User", "optional": false}}},
     {"name": "Club", "primaryKey": "_id", "properties": {"_id": "int", "members": {"type": "User[]", "minItems": 1}}},
     {"name": "Home", "embedded": true, "check": "zip != '00'", "properties": {"zip": {"type": "string?", "minLength": 2}}}]
    """#

  private func with(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let objects =
        #"[{"_id": 1, "age": 20, "tags": ["a"], "marks": {"k": 1}, "set": [1], "home": {"zip": "12"}}, {"_id": 2}]"#
      let answer = try await fixture.send(.post, "/v1/collections/User", json: objects)
      try #require(answer.status == 201, "\(answer.text)")
      try await body(fixture)
    }
  }

  /// The pointers and codes of a problem's errors.
  private func errors(_ answer: Answer) throws -> [String] {
    guard case .array(let errors)? = try Value(json: answer.text)["errors"] else { return [] }
    return errors.map { error in
      guard case .string(let code)? = error["code"] else { return "?" }
      if case .string(let pointer)? = error["pointer"] { return "\(pointer) \(code)" }
      return code
    }
  }

  private func fields(_ method: GatehouseHTTP.Method, _ json: String) -> [String: String] {
    if json.hasPrefix("[{\"op\"") { return ["content-type": "application/json-patch+json"] }
    if json.hasPrefix("{\"$") { return ["content-type": "application/json"] }
    return method == .patch ? ["content-type": "application/merge-patch+json"] : [:]
  }

  @Test(
    arguments: [
      (
        .post, "User", #"{"_id": 9, "age": 151, "color": "blue"}"#,
        ["/age out_of_range", "/color value_not_allowed"]
      ),
      (.post, "User", #"[{"_id": 8}, {"_id": 9, "age": -1}]"#, ["/1/age out_of_range"]),
      (.post, "User?mode=all", #"{"_id": 2, "age": 151}"#, ["/age out_of_range"]),
      (.post, "User?mode=modified", #"{"_id": 2, "tags": ["a", "b", "c"]}"#, ["/tags count_out_of_range"]),
      (.put, "User/9", #"{"tags": ["long!"]}"#, ["/tags/0 length_out_of_range"]),
      (.put, "User/1", #"{"age": 20, "color": "red"}"#, [" check_failed"]),
      (.patch, "User/1", #"{"color": "red"}"#, [" check_failed"]),
      (.patch, "User/1", #"{"marks": {"l": 6}}"#, ["/marks out_of_range"]),
      (.patch, "User/1", #"{"marks": {"l": 1, "m": 2}}"#, ["/marks count_out_of_range"]),
      (.patch, "User/1", #"{"home": {"zip": "1"}}"#, ["/home/zip length_out_of_range"]),
      (.patch, "User/1", #"{"homes": [{}, {"zip": "00"}]}"#, ["/homes/1/zip check_failed"]),
      (
        .patch, "User/1", #"[{"op": "add", "path": "/tags/-", "value": "long!"}]"#,
        ["/tags/1 length_out_of_range"]
      ),
      (.patch, "User/1", #"{"$inc": {"age": 131}}"#, ["/age out_of_range"]),
      (.patch, "User/1", #"{"$push": {"tags": {"$each": ["b", "c"]}}}"#, ["/tags count_out_of_range"]),
      (.put, "User/1/age", "-5", ["/age out_of_range"]),
      (.put, "User/1/color", #""red""#, [" check_failed"]),
      (.post, "User/1/tags", #""long!""#, ["/tags length_out_of_range"]),
      (.put, "User/1/tags/0", #""long!""#, ["/tags length_out_of_range"]),
      (.put, "User/1/marks/k", "6", ["/marks out_of_range"]),
      (.put, "User/1/home", #"{"zip": "00"}"#, ["/home/zip check_failed"]),
      (.put, "User/1/home/zip", #""1""#, ["/home/zip length_out_of_range"]),
      (.patch, "User/1", #"{"$addToSet": {"set": {"$each": [2, 3]}}}"#, ["/set count_out_of_range"]),
      (.patch, "User?filter=_id%20%3D%3D%202", #"{"age": 151}"#, ["/age out_of_range"]),
      (.patch, "User?filter=TRUEPREDICATE", #"{"$set": {"age": 151}}"#, ["/age out_of_range"]),
      (.put, "Club/1", #"{}"#, ["/members count_out_of_range"]),
      (.put, "Club/1", #"{"members": []}"#, ["/members count_out_of_range"]),
    ] as [(GatehouseHTTP.Method, String, String, [String])])
  func `what breaks a rule is refused`(
    method: GatehouseHTTP.Method, target: String, json: String, errors: [String]
  ) async throws {
    try await with { fixture in
      let before = try await fixture.send(.get, "/v1/collections/User").text
      let answer = try await fixture.send(
        method, "/v1/collections/\(target)", fields(method, json), json: json)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try Value(json: answer.text)["code"] == .string("invalid_object"))
      #expect(try self.errors(answer) == errors, "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/collections/User").text == before)
      #expect(try await fixture.send(.get, "/v1/collections/Club").text == "[]")
    }
  }

  @Test func `a transaction may break rules on its way, and is told the operation`() async throws {
    try await with { fixture in
      func run(_ operations: String) async throws -> Answer {
        try await fixture.send(.post, "/v1/transactions", json: #"{"operations": [\#(operations)]}"#)
      }
      let bad = #"{"op": "update", "class": "User", "id": 1, "set": {"age": 151}}"#
      let good = #"{"op": "update", "class": "User", "id": 1, "set": {"age": 150}}"#
      let other = #"{"op": "update", "class": "User", "id": 2, "set": {"age": 1}}"#
      #expect(try await run("\(bad), \(good)").status == 200)
      let refused = try await run("\(other), \(bad)")
      #expect(refused.status == 422)
      #expect(try errors(refused) == ["/operations/1/set/age out_of_range"])
      #expect(try await fixture.send(.get, "/v1/collections/User/2").text.contains(#""age":null"#))
    }
  }

  @Test func `an import is refused as a whole, and names the line`() async throws {
    try await with { fixture in
      for (type, text) in [
        ("application/x-ndjson", "{\"_id\":10,\"age\":1}\n{\"_id\":11,\"age\":200}\n"),
        ("text/csv", "_id,age\n10,1\n11,200\n"),
      ] {
        let answer = try await fixture.send(
          .post, "/v1/collections/User", ["content-type": type], Array(text.utf8))
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.text.contains(#""code":"out_of_range""#) && answer.text.contains(#""line":"#))
        #expect(try await fixture.send(.get, "/v1/collections/User/10").status == 404)
      }
    }
  }

  @Test func `deleting what an object needs is refused`() async throws {
    try await with { fixture in
      #expect(
        try await fixture.send(.put, "/v1/collections/Club/1", json: #"{"members": [2]}"#).status == 201)
      let answer = try await fixture.send(.delete, "/v1/collections/User/2")
      #expect(answer.status == 422)
      #expect(try errors(answer) == ["/members count_out_of_range"])
      #expect(try await fixture.send(.delete, "/v1/collections/Club/1").status == 204)
      #expect(try await fixture.send(.delete, "/v1/collections/User/2").status == 204)
    }
  }

  @Test func `null and what the rules allow is taken`() async throws {
    try await with { fixture in
      for json in [
        #"{"age": null, "color": "green"}"#, #"{"age": 17, "color": "red"}"#,
        #"{"age": 0, "tags": ["abc", "👍🏽"]}"#,
        #"{"home": null, "homes": [{"zip": null}, {"zip": "01"}]}"#,
        #"{"set": [1, 2, 2], "marks": {"a": 5, "b": -9}}"#,
      ] {
        let answer = try await fixture.send(.put, "/v1/collections/User/1", json: json)
        #expect(answer.status == 200, "\(json): \(answer.text)")
      }
    }
  }

  @Test func `a schema is refused with the first objects that break its rules`() async throws {
    let plain =
      #"[{"name": "T", "primaryKey": "id", "properties": {"id": "string", "n": "int?", "e": "E", "s": "string"}}, {"name": "E", "embedded": true, "properties": {"x": "int"}}]"#
    try await Fixture.with(plain) { fixture in
      let objects = (0..<30).map { #"{"id": "k\#($0)", "n": \#($0), "s": "\#($0)", "e": {"x": \#($0)}}"# }
      let json = "[\(objects.joined(separator: ","))]"
      #expect(try await fixture.send(.post, "/v1/collections/T", json: json).status == 201)
      func apply(_ old: String, _ new: String, destructive: Bool = false) async throws -> Answer {
        let query = destructive ? "?destructive=true" : ""
        return try await fixture.send(.put, "/v1/schema\(query)", json: plain.replacing(old, with: new))
      }
      for destructive in [false, true] {
        let refused = try await apply(
          #""n": "int?""#, #""n": {"type": "int?", "maximum": 26}"#, destructive: destructive)
        #expect(refused.status == 409)
        let problem = try Value(json: refused.text)
        #expect(problem["code"] == .string("schema_conflict"))
        #expect(try errors(refused) == Array(repeating: "out_of_range", count: 3))
        #expect(refused.text.contains("The object “k27” breaks a rule at /n."), "\(refused.text)")
      }
      let many = try await apply(#""n": "int?""#, #""n": {"type": "int?", "maximum": 1}"#)
      #expect(try errors(many).count == 10)
      let embedded = try await apply(#""x": "int""#, #""x": {"type": "int", "enum": [0, 1, 2]}"#)
      #expect(embedded.status == 409 && embedded.text.contains("An object breaks a rule at /x."))
      let check = try await apply(#""primaryKey""#, #""check": "e.x < 29", "primaryKey""#)
      #expect(check.status == 409 && check.text.contains("“k29”"), "\(check.text)")
      let retyped = try await apply(#""s": "string""#, #""s": {"type": "int", "maximum": 5}"#)
      #expect(retyped.status == 409, "\(retyped.text)")
      let empty = try await apply(#""n": "int?""#, #""n": "int?", "l": {"type": "int[]", "minItems": 1}"#)
      #expect(empty.status == 409, "\(empty.text)")
      // Nothing of it was done, and what all objects meet is fine.
      #expect(
        try await fixture.send(.post, "/v1/collections/T", json: #"{"id": "z", "n": 99, "s": ""}"#).status
          == 201)
      #expect(try await apply(#""n": "int?""#, #""n": {"type": "int?", "maximum": 99}"#).status == 200)
      #expect(
        try await fixture.send(.post, "/v1/collections/T", json: #"{"id": "y", "n": 100, "s": ""}"#).status
          == 422)
    }
  }

  @Test(
    arguments: [
      ("n >", "unexpected_token"), ("nn > 1", "unknown_property"), ("b.n > 1", "check_of_other_objects"),
      ("n > 1 LIMIT(1)", "check_with_clauses"),
    ])
  func `a check that is none is an invalid schema`(check: String, code: String) async throws {
    try await Fixture.with(nil) { fixture in
      let answer = try await fixture.send(
        .put, "/v1/schema",
        json: #"[{"name": "T", "check": ["n > 0", "\#(check)"], "properties": {"n": "int", "b": "T"}}]"#)
      #expect(answer.status == 422)
      #expect(try Value(json: answer.text)["code"] == .string("invalid_schema"))
      #expect(try errors(answer) == [code])
      #expect(answer.text.contains("“check” 1, from 0"))
    }
  }

  @Test func `whoever does not see a property is not told of rules that name it`() async throws {
    let admin = "administrators-key"
    let schema = #"""
      [{"name": "User", "primaryKey": "_id", "check": ["salary < 100 OR age > 30", "age < 90"], "properties": {"_id": "int",
         "age": "int", "salary": {"type": "int", "default": 120, "maximum": 200}}},
       {"name": "Team", "primaryKey": "_id", "properties": {"_id": "int", "users": {"type": "User[]", "minItems": 1}}}]
      """#
    let fixture = try await Fixture(schema, adminKey: admin)
    let bearer = ["authorization": "Bearer \(admin)"]
    let roles =
      #"{"clerk": {"classes": {"User": {"read": true, "write": true, "fields": {"salary": {"read": false, "write": false}}}}}}"#
    #expect(try await fixture.send(.put, "/v1/roles", bearer, json: roles).status == 200)
    #expect(
      try await fixture.send(.post, "/v1/collections/User", bearer, json: #"{"_id": 1, "age": 40}"#).status
        == 201)
    #expect(
      try await fixture.send(.post, "/v1/collections/Team", bearer, json: #"{"_id": 1, "users": [1]}"#).status
        == 201)
    let (_, key) = try await fixture.gateway.context.access.makeKey(name: "", role: "clerk", classes: [])
    let clerk = ["authorization": "Bearer \(key)"]
    let patch = clerk.merging(["content-type": "application/merge-patch+json"]) { $1 }
    let hidden = try await fixture.send(.patch, "/v1/collections/User/1", patch, json: #"{"age": 20}"#)
    #expect(hidden.status == 422 && !hidden.text.contains("salary") && hidden.text.contains("check_failed"))
    let shown = try await fixture.send(.patch, "/v1/collections/User/1", patch, json: #"{"age": 95}"#)
    #expect(shown.status == 422 && shown.text.contains("have to meet: age < 90"))
    let told = try await fixture.send(.get, "/v1/schema", clerk)
    #expect(told.text.contains(#""check":"age < 90""#) && !told.text.contains("salary"), "\(told.text)")
    let documents = try await fixture.send(.get, "/v1/schema?format=jsonschema", clerk)
    #expect(documents.text.contains("Objects meet: age < 90") && !documents.text.contains("salary"))
    // They hear of objects that they do not see only that there is a rule.
    let deletion = try await fixture.send(.delete, "/v1/collections/User/1", clerk)
    #expect(deletion.status == 422 && !deletion.text.contains("users"), "\(deletion.text)")
    #expect(deletion.text.contains("An object would break a rule of class “Team”."))
    await fixture.remove()
  }
}
