import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Classes of documents, which have any fields, over REST.
@Suite struct SchemalessTests {
  private static let schema = #"[{"name":"Log","schemaless":true}]"#
  private static let path = "/v1/collections/Log"

  private func with(_ objects: String..., body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      for object in objects {
        let answer = try await fixture.send(.post, Self.path, json: object)
        try #require(answer.status == 201, "\(answer.text)")
      }
      try await body(fixture)
    }
  }

  @Test func `a document has the fields that it was given`() async throws {
    let document =
      #"{"_id":1,"at":{"$date":"2026-01-02T03:04:05.006Z"},"by":{"$oid":"00000000000000000000000a"},"bytes":{"$binary":{"base64":"AQI=","subType":"00"}},"deep":{"a":[1,{"b":null},[]],"c":{}},"list":[1,"x",2.5],"price":{"$numberDecimal":"1.50"}}"#
    try await with(document) { fixture in
      let one = try await fixture.send(.get, "\(Self.path)/1")
      #expect(one.text == document)
      #expect(try await fixture.send(.get, Self.path).text == "[\(document)]")
      #expect(
        try await fixture.send(.get, "\(Self.path)?fields=_id,deep,missing").text
          == #"[{"_id":1,"deep":{"a":[1,{"b":null},[]],"c":{}}}]"#)
    }
  }

  @Test func `an identifier that is left out is an ObjectId`() async throws {
    try await with { fixture in
      let answer = try await fixture.send(.post, Self.path, json: #"{"a":1}"#)
      guard case .objectID(let id)? = try answer.document["_id"] else {
        Issue.record("\(answer.text)")
        return
      }
      #expect(answer.fields["location"] == "\(Self.path)/\(id)")
      #expect(try await fixture.send(.get, "\(Self.path)/\(id)").document["a"] == .int32(1))
    }
  }

  @Test(arguments: [
    ("7", "7"), ("-7", "-7"), (#""abc""#, "abc"), (#""a/b c""#, "a%2Fb%20c"),
    (#"{"$oid":"00000000000000000000000a"}"#, "00000000000000000000000a"),
    (#"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#, "00112233-4455-6677-8899-aabbccddeeff"),
    (#""7""#, "~Ijci"), (#""~x""#, "~In54Ig"), ("true", "~dHJ1ZQ"), (#""""#, "~IiI"),
    (#""00000000000000000000000a""#, "~IjAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwYSI"),
    (##""a\u0000b""##, "~ImFcdTAwMDBiIg"),
    ("1.5", "~eyIkbnVtYmVyRG91YmxlIjoiMS41In0"), (#"{"a":"b"}"#, "~eyJhIjoiYiJ9"),
  ])
  func `an identifier has one spelling in paths`(id: String, segment: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let created = try await fixture.send(.post, Self.path, json: #"{"_id":\#(id),"a":1}"#)
      #expect(created.fields["location"] == "\(Self.path)/\(segment)", "\(created.text)")
      #expect(try await fixture.send(.get, "\(Self.path)/\(segment)").text == #"{"_id":\#(id),"a":1}"#)
      #expect(try await fixture.send(.delete, "\(Self.path)/\(segment)").status == 204)
      #expect(try await fixture.send(.get, Self.path).text == "[]")
    }
  }

  @Test(arguments: ["~", "~!", "~Nw", "~W10"])
  func `what spells no identifier, or one that has another spelling, is refused`(segment: String) async throws
  {
    try await with(#"{"_id":7}"#) { fixture in
      let answer = try await fixture.send(.get, "\(Self.path)/\(segment)")
      #expect((answer.status, answer.code) == (400, "invalid_identifier"), "\(answer.text)")
    }
  }

  @Test func `numbers of all types that are equal are one identifier`() async throws {
    try await with(#"{"_id":1,"a":1}"#) { fixture in
      for id in ["1.0", #"{"$numberDecimal":"1.0"}"#] {
        let again = try await fixture.send(.post, Self.path, json: #"{"_id":\#(id)}"#)
        #expect((again.status, again.code) == (409, "object_exists"))
      }
      let one = "~eyIkbnVtYmVyRG91YmxlIjoiMS4wIn0"
      #expect(try await fixture.send(.get, "\(Self.path)/\(one)").text == #"{"_id":1,"a":1}"#)
      let patched = try await fixture.send(.patch, "\(Self.path)/\(one)", json: #"{"a":2}"#)
      #expect(patched.text == #"{"_id":1,"a":2}"#)
      let changes = try await fixture.send(.get, "/v1/changes?since=2")
      #expect(
        changes.text.contains(
          #""id":1,"operation":"update","changed":["a"],"before":{"a":1},"after":{"a":2}"#))
    }
  }

  @Test(arguments: [
    (#"{"_id":[1]}"#, "/_id", "illegal_identifier"),
    (#"{"_id":{"a":[{"$ref":"Log","$id":1}]}}"#, "/_id", "illegal_identifier"),
    (#"{"a.b":1}"#, "/a.b", "illegal_key"),
    (#"{"a":{"$b":1}}"#, "/a/$b", "illegal_key"),
    (#"{"a":{"$ref":"Log","$id":[1]}}"#, "/a/$id", "illegal_identifier"),
  ])
  func `what is no document is refused`(object: String, pointer: String, rule: String) async throws {
    try await with { fixture in
      let answer = try await fixture.send(.post, Self.path, json: object)
      #expect(answer.status == 422 || answer.status == 400, "\(answer.text)")
      #expect(answer.pointers == [pointer])
      #expect(answer.errors?.contains(#""code":"\#(rule)""#) == true, "\(answer.text)")
      #expect(try await fixture.send(.get, Self.path).text == "[]")
    }
  }

  @Test func `a merge patch sets and removes fields`() async throws {
    try await with(#"{"_id":1,"a":1,"b":2,"c":{"d":1,"f":{"x":1,"y":[1]}},"l":[{"z":1}]}"#) { fixture in
      let answer = try await fixture.send(
        .patch, "\(Self.path)/1",
        json:
          #"{"a":{"p":{"q":null,"r":1}},"b":null,"c":{"d":null,"e":2,"f":{"x":{"w":null},"y":null}},"l":[{"k":null}],"n":"new"}"#
      )
      // RFC 7396, section 2: documents are merged at any depth, and nothing else is.
      #expect(
        answer.text == #"{"_id":1,"a":{"p":{"r":1}},"c":{"e":2,"f":{"x":{}}},"l":[{"k":null}],"n":"new"}"#,
        "\(answer.text)")
      #expect(try await fixture.send(.get, "\(Self.path)/1").text == answer.text)
      let other = try await fixture.send(.patch, "\(Self.path)/1", json: #"{"_id":2}"#)
      #expect(other.code == "primary_key_changed", "\(other.text)")
    }
  }

  @Test func `operators and a JSON Patch change what is inside of fields`() async throws {
    try await with(#"{"_id":1,"a":1,"c":{"d":[1]}}"#) { fixture in
      let operators = try await fixture.send(
        .patch, "\(Self.path)/1",
        json: ##"{"$inc":{"a":2},"$push":{"c.d":2},"$set":{"n":{"x":1}},"$unset":{"none":""}}"##)
      #expect(operators.text == #"{"_id":1,"a":3,"c":{"d":[1,2]},"n":{"x":1}}"#, "\(operators.text)")
      let patch = try await fixture.send(
        .patch, "\(Self.path)/1", ["content-type": "application/json-patch+json"],
        Array(
          #"[{"op":"test","path":"/_id","value":1},{"op":"remove","path":"/a"},{"op":"add","path":"/c/d/0","value":0},{"op":"copy","from":"/n/x","path":"/m"}]"#
            .utf8))
      #expect(patch.text == #"{"_id":1,"c":{"d":[0,1,2]},"m":1,"n":{"x":1}}"#, "\(patch.text)")
    }
  }

  @Test func `PUT makes it what it is given, and nothing else`() async throws {
    try await with(#"{"_id":1,"a":1,"b":2}"#) { fixture in
      let put = try await fixture.send(.put, "\(Self.path)/1", json: #"{"b":3}"#)
      #expect(put.text == #"{"_id":1,"b":3}"#)
      let new = try await fixture.send(.put, "\(Self.path)/x", json: "{}")
      #expect(new.text == #"{"_id":"x"}"#)
      #expect(try await fixture.send(.get, Self.path).text == #"[{"_id":1,"b":3},{"_id":"x"}]"#)
    }
  }

  @Test func `an equal number of another type is the same identifier, which stays as it was`() async throws {
    try await with(#"{"_id":2.0,"a":1}"#) { fixture in
      let stored = "~eyIkbnVtYmVyRG91YmxlIjoiMi4wIn0"
      for (path, json, number) in [
        ("2", #"{"_id":2,"a":2}"#, 2), (stored, #"{"_id":2,"a":3}"#, 3),
        ("2", #"{"_id":{"$numberDecimal":"2.0"},"a":4}"#, 4),
      ] {
        let put = try await fixture.send(.put, "\(Self.path)/\(path)", json: json)
        #expect(put.text == #"{"_id":2.0,"a":\#(number)}"#)
      }
      let patched = try await fixture.send(.patch, "\(Self.path)/2", json: #"{"_id":2,"a":5}"#)
      #expect(patched.text == #"{"_id":2.0,"a":5}"#)
      let other = try await fixture.send(.patch, "\(Self.path)/2", json: #"{"_id":3}"#)
      #expect((other.status, other.code) == (422, "primary_key_changed"))
    }
  }

  @Test func `a path leads into fields`() async throws {
    try await with(#"{"_id":1,"a":{"b":[1,{"c":"x"}]},"_fields":5}"#) { fixture in
      let read = try await fixture.send(.get, "\(Self.path)/1/a/b/1/c")
      #expect(read.text == #""x""#)
      #expect(try await fixture.send(.get, "\(Self.path)/1/_fields").text == "5")
      #expect(try await fixture.send(.put, "\(Self.path)/1/a/b/1/c", json: "7").status < 300)
      #expect(try await fixture.send(.put, "\(Self.path)/1/n", json: #"{"m":1}"#).status < 300)
      #expect(try await fixture.send(.delete, "\(Self.path)/1/_fields").status < 300)
      let all = try await fixture.send(.get, "\(Self.path)/1")
      #expect(all.text == #"{"_id":1,"a":{"b":[1,{"c":7}]},"n":{"m":1}}"#)
    }
  }

  @Test(arguments: [
    ("a == 1", ["1"]), ("a > 0", ["1", "2"]), (#"a == "1""#, ["3"]), ("a == null", ["4", "5"]),
    ("a.b == 1", []), ("deep.x.y == 7", ["4"]), (#"deep["x"].y > 6"#, ["4"]), ("tags[*] == 'p'", ["1", "2"]),
    ("tags.@size > 1", ["1"]), ("_id == 2", ["2"]), ("_id == 2.0", ["2"]), ("_id IN {1, 5}", ["1", "5"]),
    ("_id > 3", ["4", "5"]), ("a.@type == 'string'", ["3"]), ("NOT a == 1", ["2", "3", "4", "5"]),
    ("TRUEPREDICATE SORT(n DESC) LIMIT(2)", ["2", "1"]),
    ("n < 2 SORT(deep.x.y DESC)", ["4", "3", "5"]), ("_id < 4 SORT(tags[1] DESC)", ["1", "2", "3"]),
  ])
  func `the query language has all fields`(filter: String, ids: [String]) async throws {
    try await with(
      #"{"_id":1,"a":1,"n":2,"tags":["p","q"]}"#, #"{"_id":2,"a":1.5,"n":3,"tags":["p"]}"#,
      #"{"_id":3,"a":"1","n":1}"#, #"{"_id":4,"deep":{"x":{"y":7}},"n":0}"#, #"{"_id":5,"a":null,"n":-1}"#
    ) { fixture in
      let found = try await fixture.send(.get, "\(Self.path)?fields=_id&filter=\(filter.percentEncoded)")
      #expect(found.text == "[\(ids.map { #"{"_id":\#($0)}"# }.joined(separator: ","))]")
    }
  }

  @Test func `events name the fields that changed`() async throws {
    try await with(#"{"_id":{"$oid":"00000000000000000000000a"},"a":1,"b":2,"c":3}"#) { fixture in
      let watcher = try await fixture.watch("\(Self.path)?values=true")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(
        .patch, "\(Self.path)/00000000000000000000000a", json: #"{"a":1,"b":null,"c":{"d":4},"n":5}"#)
      await fixture.settle()
      let data = StreamEvent.all(in: watcher.text).last?.data ?? ""
      #expect(data.contains(#""id":{"$oid":"00000000000000000000000a"}"#), "\(data)")
      #expect(data.contains(#""object":{"_id":{"$oid":"00000000000000000000000a"},"a":1,"c":{"d":4},"n":5}"#))
      #expect(
        data.contains(#""changed":["b","c","n"],"before":{"b":2,"c":3},"after":{"c":{"d":4},"n":5}"#),
        "\(data)")
    }
  }

  @Test func `key paths are paths of fields`() async throws {
    try await with(#"{"_id":1,"a":1,"b":{"c":1},"d":1}"#) { fixture in
      let watcher = try await fixture.watch("\(Self.path)?keyPaths=a,b.c")
      _ = await watcher.events(through: "ready")
      for patch in [#"{"d":2}"#, #"{"b":{"c":2}}"#, #"{"n":1}"#, #"{"a":null}"#, #"{"a":3,"d":3}"#] {
        _ = try await fixture.send(.patch, "\(Self.path)/1", json: patch)
      }
      await fixture.settle()
      let changed = StreamEvent.all(in: watcher.text).compactMap(\.data).compactMap { data in
        data.firstMatch(of: /"changed":(\[[^\]]*\])/).map { String($0.1) }
      }
      #expect(changed == [#"["b"]"#, #"["a"]"#, #"["a","d"]"#], "\(watcher.text)")
    }
  }

  @Test func `a path of fields leads to no field of a field`() async throws {
    try await with(#"{"_id":1,"o":{"v":1}}"#) { fixture in
      let answer = try await fixture.send(.get, "\(Self.path)?fields=o.v")
      #expect((answer.status, answer.code) == (400, "invalid_query"), "\(answer.text)")
      let words = answer.text.replacing("not_expandable", with: "")
      #expect(words.contains("fields") && !words.contains("expand"), "\(answer.text)")
    }
  }

  @Test func `the log tells the fields`() async throws {
    try await with(#"{"_id":1,"a":1,"b":2}"#) { fixture in
      _ = try await fixture.send(.put, "\(Self.path)/1", json: #"{"a":1,"c":3}"#)
      _ = try await fixture.send(.delete, "\(Self.path)/1")
      let text = try await fixture.send(.get, "/v1/changes?since=1").text.replacing(
        /"time":"[^"]*",/, with: "")
      #expect(
        text
          == #"{"changes":[{"version":2,"n":0,"class":"Log","id":1,"operation":"insert","after":{"_id":1,"a":1,"b":2}},{"version":3,"n":0,"class":"Log","id":1,"operation":"update","changed":["b","c"],"replaced":true,"before":{"b":2},"after":{"c":3}},{"version":4,"n":0,"class":"Log","id":1,"operation":"delete","before":{"_id":1,"a":1,"c":3}}],"next":"4"}"#
      )
    }
  }

  @Test func `the audit trail has the fields`() async throws {
    try await Fixture.with(Auditing(), Self.schema) { fixture in
      let scope = try await fixture.begin("change")
      let joined = ["audit-scope": scope]
      _ = try await fixture.send(
        .post, Self.path, joined, json: #"{"_id":1,"b":{"$numberDecimal":"1.5"},"a":{"c":[1]}}"#)
      _ = try await fixture.send(.patch, "\(Self.path)/1", joined, json: #"{"b":2,"n":true}"#)
      _ = try await fixture.send(.get, "\(Self.path)/1", joined)
      _ = try await fixture.send(.patch, "\(Self.path)/1", joined, json: #"{"b":null,"n":false}"#)
      #expect(try await fixture.end(scope) == 204)
      let old = #"{"_id":1,"a":{"c":[1]},"b":{"$numberDecimal":"1.5"}}"#
      let trail = try await fixture.trail().map {
        $0.split(separator: " ").dropFirst(2).joined(separator: " ")
      }
      #expect(
        trail == [
          #"write {"Log":{"insertions":[\#(old)]}}"#,
          #"write {"Log":{"modifications":[{"newValue":{"b":2,"n":true},"oldValue":\#(old)}]}}"#,
          #"read {"type":"Log","value":[{"_id":1,"a":{"c":[1]},"b":2,"n":true}]}"#,
          #"write {"Log":{"modifications":[{"newValue":{"b":null,"n":false},"oldValue":{"_id":1,"a":{"c":[1]},"b":2,"n":true}}]}}"#,
        ])
    }
  }

  @Test func `a change stream tells what was removed`() async throws {
    try await with(#"{"_id":1,"a":1,"b":2}"#) { fixture in
      let json =
        #"{"name":"watch","arguments":[{"database":"d","collection":"Log"}],"service":"mongodb-atlas"}"#
      let request = Base64.encode(Array(json.utf8)).percentEncoded
      let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
      let watcher = try await fixture.watch(
        "/api/client/v2.0/app/a/functions/call?baas_request=\(request)",
        ["authorization": "Bearer \(key.text)"])
      await watcher.wait { $0 == ": open\n\n" }
      _ = try await fixture.send(
        .patch, "\(Self.path)/1", ["authorization": "Bearer \(key.text)"], json: #"{"a":null,"c":3}"#)
      await fixture.settle()
      #expect(
        watcher.text.contains(
          ##""updateDescription":{"updatedFields":{"c":{"$numberLong":"3"}},"removedFields":["a"]}"##),
        "\(watcher.text)")
      await watcher.leave()
    }
  }

  @Test func `the notation says that the class is schemaless`() async throws {
    try await with { fixture in
      let schema = try await fixture.send(.get, "/v1/schema")
      #expect(
        schema.text == #"[{"name":"Log","primaryKey":"_id","schemaless":true,"properties":{"_id":"mixed"}}]"#)
    }
  }

  @Test(arguments: [
    #"{"name":"Log","schemaless":true,"properties":{"a":"int"}}"#,
    #"{"name":"Log","schemaless":true,"primaryKey":"a"}"#,
    #"{"name":"Log","schemaless":true,"embedded":true}"#,
    #"{"name":"Log","schemaless":true,"indexes":[{"properties":["a"]}]}"#,
  ])
  func `a schemaless class says nothing of its fields`(type: String) async throws {
    try await with(#"{"_id":1,"a":1}"#) { fixture in
      let answer = try await fixture.send(.put, "/v1/schema", json: "[\(type)]")
      #expect((answer.status, answer.code) == (422, "invalid_schema"), "\(answer.text)")
      #expect(try await fixture.send(.get, Self.path).text == #"[{"_id":1,"a":1}]"#)
    }
  }

  @Test func `lines and tables are documents`() async throws {
    try await with { fixture in
      let lines = try await fixture.send(
        .post, Self.path, ["content-type": "application/x-ndjson"],
        Array("{\"_id\":1,\"a\":{\"b\":1}}\n{\"_id\":2,\"c\":[]}\n".utf8))
      #expect(lines.status == 201, "\(lines.text)")
      let table = try await fixture.send(
        .post, Self.path, ["content-type": "text/csv"], Array("_id,a\r\n3,x\r\n4,\"{\"\"b\"\":2}\"\r\n".utf8))
      #expect(table.status == 201, "\(table.text)")
      #expect(
        try await fixture.send(.get, Self.path).text
          == #"[{"_id":1,"a":{"b":1}},{"_id":2,"c":[]},{"_id":3,"a":"x"},{"_id":4,"a":{"b":2}}]"#)
      let whole = try await fixture.send(.get, Self.path, ["accept": "text/csv"])
      #expect(
        whole.text
          == "_id,_fields\r\n1,\"{\"\"a\"\":{\"\"b\"\":1}}\"\r\n2,\"{\"\"c\"\":[]}\"\r\n3,\"{\"\"a\"\":\"\"x\"\"}\"\r\n4,\"{\"\"a\"\":{\"\"b\"\":2}}\"\r\n"
      )
      let before = try await fixture.send(.get, Self.path).text
      for id in 1...4 { _ = try await fixture.send(.delete, "\(Self.path)/\(id)") }
      _ = try await fixture.send(.post, Self.path, ["content-type": "text/csv"], whole.content)
      #expect(try await fixture.send(.get, Self.path).text == before)
      let read = try await fixture.send(.get, "\(Self.path)?fields=_id,a", ["accept": "text/csv"])
      #expect(read.text == "_id,a\r\n1,\"{\"\"b\"\":1}\"\r\n2,\r\n3,\"\"\"x\"\"\"\r\n4,\"{\"\"b\"\":2}\"\r\n")
    }
  }

  @Test func `a link to a document holds its identifier as the store has it`() async throws {
    let schema =
      #"[{"name":"Log","schemaless":true},{"name":"Note","primaryKey":"id","properties":{"id":"int","log":"Log?"}}]"#
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.post, Self.path, json: #"{"_id":1,"a":1}"#)
      let note = try await fixture.send(.post, "/v1/collections/Note", json: #"{"id":1,"log":1.0}"#)
      #expect(note.text == #"{"id":1,"log":1}"#)
      let found = try await fixture.send(.get, "/v1/collections/Note?filter=log.a%20%3D%3D%201&expand=log")
      #expect(found.text == #"[{"id":1,"log":{"_id":1,"a":1}}]"#, "\(found.text)")
      _ = try await fixture.send(.delete, "\(Self.path)/1")
      #expect(try await fixture.send(.get, "/v1/collections/Note/1").text == #"{"id":1,"log":null}"#)
    }
  }
}
