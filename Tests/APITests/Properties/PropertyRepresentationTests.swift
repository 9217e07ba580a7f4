import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

private func bson(_ json: String) throws -> [UInt8] {
  guard case .document(let document) = try Value(json: Array(json.utf8)) else { return [] }
  return try document.bson()
}

/// Values that are read as BSON, in Extended JSON: a map is a document, anything else stands in one.
@Test(arguments: [
  ("map", #"{"a":{"$numberLong":"1"},"b":null,"c":{"$numberLong":"3"}}"#),
  ("map/a", #"{"value":{"$numberLong":"1"}}"#), ("map/b", #"{"value":null}"#),
  ("map?only=keys", #"{"value":["a","b","c"]}"#), ("map?only=count", #"{"value":{"$numberLong":"3"}}"#),
  ("map?sort=-self", #"{"value":[{"$numberLong":"3"},{"$numberLong":"1"},null]}"#),
  ("map?filter=self%20%3E%201", #"{"c":{"$numberLong":"3"}}"#),
  ("map?aggregate=@max", #"{"@max":{"$numberLong":"3"}}"#), ("map?contains=b", #"{"value":true}"#),
  ("list", #"{"value":["x","y","z"]}"#), ("list/-1", #"{"value":"z"}"#),
  ("set", #"{"value":[{"$numberLong":"1"},{"$numberLong":"2"},{"$numberLong":"3"}]}"#),
  ("link", #"{"value":{"$numberLong":"2"}}"#),
  ("boxes", #"{"me":{"$numberLong":"1"},"two":{"$numberLong":"2"}}"#),
  ("mixed/word", #"{"value":"w"}"#), ("mixed/word?aggregate=@max", #"{"@max":null}"#),
  ("inners/i/x", #"{"value":{"$numberLong":"7"}}"#),
  ("inner", #"{"value":{"x":{"$numberLong":"1"},"tags":["t"],"deep":null}}"#),
  ("inner/deep", #"{"value":null}"#),
  ("boxes?fields=n", #"{"me":{"n":{"$numberLong":"5"}},"two":{"n":{"$numberLong":"6"}}}"#),
])
func `parts are read as BSON`(target: String, json: String) async throws {
  try await withBoxObjects { fixture in
    let answer = try await fixture.send(
      .get, "/v1/collections/Box/1/\(target)", ["accept": "application/bson"])
    #expect((answer.status, answer.fields["content-type"]) == (200, "application/bson"))
    let document = try Document(bson: answer.content[...])
    #expect(String(decoding: Value.document(document).extendedJSON, as: UTF8.self) == json)
  }
}

/// Values that are written as BSON, and the values that are there then.
@Test(
  arguments: [
    ("PUT", "map", #"{"z":9,"y":null}"#, 204, "map", #"{"y":null,"z":9}"#),
    ("PUT", "map/a", #"{"value":{"$numberLong":"8"}}"#, 204, "map/a", "8"),
    ("PUT", "map/new", #"{"value":null}"#, 201, "map/new", "null"),
    ("PATCH", "map", #"{"a":4}"#, 204, "map/a", "4"),
    ("PUT", "list", #"{"value":["q"]}"#, 204, "list", #"["q"]"#),
    ("PUT", "list/0", #"{"value":"q"}"#, 204, "list/0", #""q""#),
    ("POST", "list", #"{"value":["q","r"]}"#, 204, "list", #"["x","y","z","q","r"]"#),
    ("POST", "list?at=0", #"{"value":"q"}"#, 204, "list/0", #""q""#),
    ("PATCH", "list", #"{"move":{"from":0,"to":2}}"#, 204, "list", #"["y","z","x"]"#),
    ("POST", "set", #"{"value":9}"#, 204, "set", "[1,2,3,9]"),
    ("PATCH", "set", #"{"subtract":[1]}"#, 204, "set", "[2,3]"),
    ("PUT", "inner", #"{"value":{"x":5}}"#, 204, "inner/x", "5"),
    ("PATCH", "inner", #"{"x":6}"#, 204, "inner/x", "6"),
    ("PUT", "link", #"{"value":1}"#, 204, "link", "1"),
    ("PUT", "boxes", #"{"a":2}"#, 204, "boxes", #"{"a":2}"#),
    ("PUT", "mixed", #"{"value":{"deep":[1]}}"#, 204, "mixed/deep/0", "1"),
    ("PUT", "note", #"{"value":"text"}"#, 204, "note", #""text""#),
  ] as [(String, String, String, UInt16, String, String)])
func `parts are written as BSON`(
  method: String, target: String, content: String, status: UInt16, place: String, text: String
) async throws {
  try await withBoxObjects { fixture in
    let method = try #require(Method(rawValue: method))
    let answer = try await fixture.send(
      method, "/v1/collections/Box/1/\(target)", ["content-type": "application/bson"], bson(content))
    #expect(answer.status == status, "\(answer.text)")
    #expect(try await fixture.send(.get, "/v1/collections/Box/1/\(place)").text == text)
  }
}

@Test(arguments: [#"{"n":5}"#, #"{"value":5,"other":6}"#, "{}"])
func `a document that is no single value is refused`(content: String) async throws {
  try await withBoxObjects { fixture in
    let before = try await fixture.everything()
    let answer = try await fixture.send(
      .put, "/v1/collections/Box/1/n", ["content-type": "application/bson"], bson(content))
    #expect((answer.status, answer.code, answer.pointers) == (422, "invalid_object", ["/value"]))
    #expect(try await fixture.everything() == before)
  }
}

@Test func `parts are read and written as Extended JSON`() async throws {
  try await withBoxObjects { fixture in
    let place = "/v1/collections/Box/1/"
    let put = try await fixture.send(
      .put, place + "map", ["content-type": "application/ejson"], Array(#"{"k":{"$numberLong":"7"}}"#.utf8))
    #expect(put.status == 204)
    for (target, text) in [
      ("map", #"{"k":{"$numberLong":"7"}}"#), ("map/k", #"{"$numberLong":"7"}"#), ("list/0", #""x""#),
      ("set", #"[{"$numberLong":"1"},{"$numberLong":"2"},{"$numberLong":"3"}]"#),
    ] {
      let answer = try await fixture.send(.get, place + target, ["accept": "application/ejson"])
      #expect((answer.status, answer.text) == (200, text), "\(target)")
    }
  }
}

/// The sum of ints that is none, over a class and over a list.
@Test(arguments: [
  ("application/json", #""9223372036854775808""#),
  ("application/ejson", #"{"$numberDecimal":"9223372036854775808"}"#),
])
func `a sum beyond 64 bits has one form, whatever it is asked of`(accept: String, sum: String) async throws {
  let schema =
    #"[{"name":"N","primaryKey":"id","properties":{"id":"int","n":"int","ns":"int[]","all":"N[]"}}]"#
  try await Fixture.with(schema) { fixture in
    let objects =
      #"[{"id":1,"n":9223372036854775807,"ns":[9223372036854775807,1],"all":[1,2]},{"id":2,"n":1}]"#
    #expect(try await fixture.send(.post, "/v1/collections/N", json: objects).status == 201)
    for (target, name) in [("", "n.@sum"), ("/1/ns", "@sum"), ("/1/all", "n.@sum")] {
      let answer = try await fixture.send(
        .get, "/v1/collections/N\(target)?aggregate=\(name)", ["accept": accept])
      #expect(answer.text == "{\"\(name)\":\(sum)}")
    }
  }
}
