import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

private let reads: [Exchange] = [
  .get("n", "5"), .get("note", "null"), .get("map", #"{"a":1,"b":null,"c":3}"#), .get("map/a", "1"),
  .get("map/b", "null"),
  .get("map?only=keys", #"["a","b","c"]"#), .get("map?only=values", "[1,null,3]"),
  .get("map?only=count", "3"),
  .get("map?contains=b", "true"), .get("map?contains=x", "false"),
  .get("map?filter=self%20%3E%201", #"{"c":3}"#),
  .get("map?sort=-self", "[3,1,null]"), .get("map?filter=self%20!=%20null&only=keys", #"["a","c"]"#),
  .get("map?aggregate=@min,@max,@sum,@avg,@count", #"{"@min":1,"@max":3,"@sum":4,"@avg":2.0,"@count":3}"#),
  .get("list", #"["x","y","z"]"#), .get("list/0", #""x""#), .get("list/-1", #""z""#),
  .get("list?only=count", "3"),
  .get("list?indexOf=%22y%22", "1"), .get("list?indexOf=%22q%22", "null"),
  .get("list?contains=%22z%22", "true"),
  .get("list?filter=self%20BEGINSWITH%20%22y%22", #"["y"]"#), .get("set", "[1,2,3]"),
  .get("set?contains=2", "true"),
  .get("set?sort=-self", "[3,2,1]"), .get("set?aggregate=@sum", #"{"@sum":6}"#),
  .get("mixed/word", #""w""#), .get("mixed/list", #"[1,{"k":"v"}]"#), .get("mixed/list/1/k", #""v""#),
  // Nothing is in a value that is no collection.
  .get("mixed/word?aggregate=@count,@max", #"{"@count":0,"@max":null}"#),
  .get("mixed/word?indexOf=%22w%22", "null"),
  .get("mixed/word?contains=%22w%22", "false"), .get("mixed/list/-2", "1"),
  .get("mixed?only=keys", #"["list","word"]"#),
  .get("boxes", #"{"me":1,"two":2}"#), .get("boxes/two/n", "6"),
  .get("boxes?filter=n%20%3D%206", #"{"two":2}"#),
  .get("boxes?aggregate=n.@max", #"{"n.@max":6}"#), .get("boxes?sort=-n", "[2,1]"), .get("row", "[2,1]"),
  .get("row/0/n", "6"),
  .get("inner/x", "1"), .get("inner/tags/0", #""t""#), .get("inners/i/x", "7"),
  .get("innerList/1", #"{"x":2,"tags":[],"deep":null}"#),
  .get("link", "2"), .get("link/n", "6"), .get("link/holders?fields=id", #"[{"id":1}]"#),
  .get("holders", "[]"),
]

@Test(arguments: reads)
func `what a path leads to is read`(exchange: Exchange) async throws {
  try await withBoxObjects { fixture in
    let answer = try await fixture.send(exchange)
    #expect((answer.status, answer.text) == (exchange.status, exchange.text))
  }
}

private let refusals: [Exchange] = [
  .bad("GET", "none", 404, "unknown_property"), .bad("GET", "n/x", 404, "no_parts"),
  .bad("GET", "map/x", 404, "entry_not_found"),
  .bad("GET", "map/a.b", 422, "illegal_key"), .bad("PUT", "map/$a", 422, "illegal_key", "1"),
  .bad("PUT", "map/" + String(repeating: "k", count: 1025), 422, "key_too_long", "1"),
  .bad("GET", "list/3", 404, "index_out_of_range"), .bad("GET", "list/-4", 404, "index_out_of_range"),
  .bad("GET", "list/one", 400, "invalid_index"), .bad("GET", "list/01", 400, "invalid_index"),
  .bad("GET", "set/0", 400, "index_into_set"), .bad("GET", "link/link/n", 404, "null_link"),
  .bad("GET", "mixed/none", 404, "path_not_found"),
  .bad("GET", "link/" + Array(repeating: "link", count: 16).joined(separator: "/"), 400, "path_too_deep"),
  .bad("PUT", "holders", 405, "read_only_property", "[]"),
  .bad("DELETE", "holders", 405, "read_only_property"),
  .bad("POST", "map", 405, "method_not_allowed", "1"), .bad("PATCH", "n", 405, "method_not_allowed", "{}"),
  .bad("PUT", "map/a", 422, "invalid_object", #""text""#), .bad("PUT", "n", 422, "invalid_object", "null"),
  .bad("DELETE", "n", 422, "invalid_object"), .bad("PUT", "id", 422, "primary_key_changed", "9"),
  .bad("PUT", "list/3", 404, "index_out_of_range", #""q""#),
  .bad("POST", "list?at=4", 404, "index_out_of_range", #""q""#),
  .bad("POST", "list?at=x", 400, "invalid_parameter", #""q""#),
  .bad("PATCH", "list", 404, "index_out_of_range", #"{"move":{"from":0,"to":3}}"#),
  .bad("PATCH", "list", 422, "invalid_patch", #"{"shuffle":1}"#),
  .bad("PATCH", "set", 422, "invalid_patch", #"{"union":1}"#),
  .bad("PATCH", "map?uniquing=error", 409, "entry_exists", #"{"new":1,"a":2}"#),
  .bad("PATCH", "map?uniquing=maybe", 400, "invalid_parameter", #"{"a":2}"#),
  .bad("PUT", "link", 409, "link_target_not_found", "77"),
  .bad("DELETE", "list?from=2&count=2", 404, "index_out_of_range"),
  .bad("PATCH", "mixed/word", 409, "wrong_collection", #"{"a":1}"#),
  .bad("GET", "map?only=some", 400, "invalid_parameter"),
  .bad("GET", "map?cursor=x", 400, "invalid_cursor"),
]

@Test(arguments: refusals)
func `what is refused has a code of its own, and nothing is written`(exchange: Exchange) async throws {
  try await withBoxObjects { fixture in
    let before = try await fixture.everything()
    let answer = try await fixture.send(exchange)
    #expect((answer.status, answer.code) == (exchange.status, exchange.text))
    #expect(try await fixture.everything() == before)
  }
}

/// A write, and what the collection or property holds then.
struct Write: Sendable, CustomTestStringConvertible {
  let method: String
  let target: String
  let json: String?
  let status: UInt16
  let place: String
  let text: String

  init(
    _ method: String, _ target: String, _ json: String?, _ status: UInt16, _ place: String, _ text: String
  ) {
    (self.method, self.target, self.json, self.status) = (method, target, json, status)
    (self.place, self.text) = (place, text)
  }

  init(_ method: String, _ target: String, _ json: String, _ place: String, _ text: String) {
    self.init(method, target, json, 204, place, text)
  }

  init(_ method: String, _ target: String, _ place: String, _ text: String) {
    self.init(method, target, nil, 204, place, text)
  }

  var testDescription: String { "\(method) \(target) \(json ?? "")" }
}

@Test(arguments: [
  Write("PUT", "map/a", "9", "map", #"{"a":9,"b":null,"c":3}"#),
  Write("PUT", "map/z", "null", 201, "map/z", "null"),
  Write("PUT", "map/%E3%82%AD%E3%83%BC%2F", "1", 201, "map?only=keys", #"["a","b","c","キー/"]"#),
  Write("DELETE", "map/a", "map", #"{"b":null,"c":3}"#),
  Write("DELETE", "map/none", "map", #"{"a":1,"b":null,"c":3}"#),
  Write("PATCH", "map", #"{"a":7,"d":null}"#, "map", #"{"a":7,"b":null,"c":3,"d":null}"#),
  Write("PATCH", "map?uniquing=old", #"{"a":7,"d":4}"#, "map", #"{"a":1,"b":null,"c":3,"d":4}"#),
  Write("PUT", "map", #"{"q":1}"#, "map", #"{"q":1}"#), Write("DELETE", "map", "map", "{}"),
  Write("PUT", "list/1", #""Y""#, "list", #"["x","Y","z"]"#),
  Write("PUT", "list/-1", #""Z""#, "list", #"["x","y","Z"]"#),
  Write("DELETE", "list/0", "list", #"["y","z"]"#),
  Write("POST", "list", #"["p","q"]"#, "list", #"["x","y","z","p","q"]"#),
  Write("POST", "list?at=1", #""n""#, "list", #"["x","n","y","z"]"#),
  Write("POST", "list?at=-1", #""n""#, "list", #"["x","y","n","z"]"#),
  Write("PATCH", "list", #"{"move":{"from":0,"to":2}}"#, "list", #"["y","z","x"]"#),
  Write("PATCH", "list", #"{"move":{"from":-1,"to":0}}"#, "list", #"["z","x","y"]"#),
  Write("DELETE", "list?from=0&count=2", "list", #"["z"]"#), Write("DELETE", "list", "list", "[]"),
  Write("POST", "set", "4", "set", "[1,2,3,4]"), Write("POST", "set", "[3,9]", "set", "[1,2,3,9]"),
  Write("PATCH", "set", #"{"subtract":[1,8]}"#, "set", "[2,3]"),
  Write("PATCH", "set", #"{"intersect":[1,8,3]}"#, "set", "[1,3]"),
  Write("PATCH", "set", #"{"union":[0]}"#, "set", "[0,1,2,3]"), Write("PUT", "set", "[5,5]", "set", "[5]"),
  Write("PUT", "mixed/list/0", #"{"deep":[]}"#, "mixed", #"{"list":[{"deep":[]},{"k":"v"}],"word":"w"}"#),
  Write("PUT", "mixed/new", "1", "mixed", #"{"list":[1,{"k":"v"}],"new":1,"word":"w"}"#),
  Write("DELETE", "mixed/word", "mixed", #"{"list":[1,{"k":"v"}]}"#),
  Write("POST", "mixed/list?at=0", "0", "mixed/list", #"[0,1,{"k":"v"}]"#),
  Write("PATCH", "mixed", #"{"word":2}"#, "mixed/word", "2"),
  Write("PATCH", "inner", #"{"x":2}"#, "inner", #"{"x":2,"tags":["t"],"deep":null}"#),
  Write("PUT", "inner/x", "3", "inner/x", "3"),
  Write("POST", "inner/tags", #""u""#, "inner/tags", #"["t","u"]"#),
  Write("PUT", "inner/deep", #"{"x":8}"#, "inner/deep/x", "8"), Write("DELETE", "inner", "inner", "null"),
  Write("PATCH", "inners/i", #"{"tags":["a"]}"#, "inners/i", #"{"x":7,"tags":["a"],"deep":null}"#),
  Write("PATCH", "innerList/-1", #"{"x":9}"#, "innerList/1/x", "9"),
  Write("DELETE", "innerList/0", "innerList", #"[{"x":2,"tags":[],"deep":null}]"#),
  Write("PUT", "inners/j", #"{"x":1}"#, 201, "inners?only=keys", #"["i","j"]"#),
  Write("PUT", "link", "1", "link", "1"), Write("DELETE", "link", "link", "null"),
  Write("PUT", "note", #""n""#, "note", #""n""#),
  Write("PUT", "link/n", "60", "link/n", "60"),
  Write("PUT", "boxes/two/map/k", "1", 201, "link/map", #"{"k":1}"#),
])
func `a write at a path changes that place`(write: Write) async throws {
  try await withBoxObjects { fixture in
    let version = fixture.store.version
    let exchange = Exchange(
      method: write.method, target: write.target, json: write.json, status: write.status)
    let answer = try await fixture.send(exchange)
    #expect(answer.status == write.status, "\(answer.text)")
    let after = try await fixture.send(.get(write.place, ""))
    #expect((after.status, after.text) == (200, write.text))
    #expect(fixture.store.version == (write.target == "map/none" ? version : version + 1))
  }
}

// To a string's own `==` the two spellings of é are one.
@Test func `keys inside a mixed value are told apart by their bytes`() async throws {
  let schema = #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","value":"mixed"}}]"#
  try await Fixture.with(schema) { fixture in
    let path = "/v1/collections/A/1/value"
    _ = try await fixture.send(.put, "/v1/collections/A/1", json: #"{"value":{"\#u{e9}":1,"e\u0301":2}}"#)
    #expect(try await fixture.send(.get, path + "/e%CC%81").text == "2")
    #expect(try await fixture.send(.get, path + "/%C3%A9").text == "1")
    for (key, count) in [("%C3%A9", 1), ("e%CC%81", 0)] {
      let query = "/v1/collections/A?aggregate=@count&filter=value%5B'\(key)'%5D%20==%201"
      #expect(try await fixture.send(.get, query).text == "{\"@count\":\(count)}")
    }
    #expect(try await fixture.send(.put, path + "/%C3%A9", json: "3").status == 204)
    #expect(try await fixture.send(.get, path).content == Array(#"{"e\#u{301}":2,"\#u{e9}":3}"#.utf8))
    #expect(try await fixture.send(.delete, path + "/e%CC%81").status == 204)
    #expect(try await fixture.send(.get, path).content == Array(#"{"\#u{e9}":3}"#.utf8))
  }
}

@Test func `a write through a link changes the target and says so`() async throws {
  try await withBoxObjects { fixture in
    let answer = try await fixture.send(.put, "/v1/collections/Box/1/boxes/two/map/k%2F", json: "1")
    #expect(answer.status == 201)
    #expect(answer.fields["content-location"] == "/v1/collections/Box/2/map/k%2F")
    let log = try await fixture.send(.get, "/v1/changes?since=\(fixture.store.version - 1)")
    #expect(
      log.text.contains(
        #""id":2,"operation":"update","changed":["map"],"before":{},"after":{},"elements":{"map":[{"key":"k/","after":1}]}"#
      ))
  }
}

@Test func `conditions are about the version of the object and the existence of the entry`() async throws {
  try await withBoxObjects { fixture in
    let entry = "/v1/collections/Box/1/map/a"
    let read = try await fixture.send(.get, entry)
    let tag = try #require(read.fields["etag"])
    #expect(try await fixture.send(.get, entry, ["if-none-match": tag]).status == 304)
    #expect(try await fixture.send(.put, entry, ["if-none-match": "*"], json: "2").status == 412)
    #expect(try await fixture.send(.put, entry, ["if-match": tag], json: "2").status == 204)
    #expect(try await fixture.send(.put, entry, ["if-match": tag], json: "3").status == 412)
    #expect(
      try await fixture.send(.delete, "/v1/collections/Box/1/map/none", ["if-match": "*"]).status == 412)
    #expect(
      try await fixture.send(.put, "/v1/collections/Box/1/map/new", ["if-none-match": "*"], json: "1").status
        == 201)
    #expect(try await fixture.send(.get, entry).text == "2")
  }
}

@Test func `the pages of a map and of a list follow each other`() async throws {
  try await withBoxObjects { fixture in
    for (name, expected) in [
      ("map", [#"{"a":1,"b":null}"#, #"{"c":3}"#]), ("list", [#"["x","y"]"#, #"["z"]"#]),
    ] {
      var target = "/v1/collections/Box/1/\(name)?limit=2"
      var pages: [String] = []
      while true {
        let page = try await fixture.send(.get, target)
        pages.append(page.text)
        guard let link = page.fields["link"], let end = link.firstIndex(of: ">") else { break }
        target = String(link[link.index(after: link.startIndex)..<end])
      }
      #expect(pages == expected)
    }
  }
}

@Test func `a transaction has operations for what is inside objects`() async throws {
  try await withBoxObjects { fixture in
    let operations = [
      #"{"op":"map.set","path":"map","key":"a","value":2}"#, #"{"op":"map.remove","path":"map","key":"b"}"#,
      #"{"op":"map.merge","path":["map"],"value":{"a":0,"z":26},"uniquing":"old"}"#,
      #"{"op":"list.insert","path":"list","index":1,"values":["i"]}"#,
      #"{"op":"list.append","path":"list","values":["e"]}"#,
      #"{"op":"list.set","path":"list","index":0,"value":"X"}"#,
      #"{"op":"list.remove","path":"list","index":-2}"#,
      #"{"op":"list.move","path":"list","from":0,"to":3}"#, #"{"op":"set.add","path":"set","value":9}"#,
      #"{"op":"set.remove","path":"set","value":1}"#,
      #"{"op":"set.intersect","path":"set","values":[2,9,10]}"#,
      #"{"op":"property.set","path":"inner/x","value":4}"#,
      #"{"op":"list.append","path":"mixed/list","values":[2]}"#,
      #"{"op":"map.clear","path":"boxes"}"#,
    ].map { $0.dropLast() + #","class":"Box","id":1}"# }
    let answer = try await fixture.send(
      .post, "/v1/transactions", json: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
    #expect(answer.status == 200, "\(answer.text)")
    var state: [String] = []
    for place in ["map", "list", "set", "inner/x", "mixed/list", "boxes"] {
      state.append(try await fixture.send(.get(place, "")).text)
    }
    #expect(
      state == [#"{"a":2,"c":3,"z":26}"#, #"["i","y","e","X"]"#, "[2,9]", "4", #"[1,{"k":"v"},2]"#, "{}"])
    let wrong = #"{"operations":[{"op":"list.move","class":"Box","id":1,"path":"map","from":0,"to":1}]}"#
    let refused = try await fixture.send(.post, "/v1/transactions", json: wrong)
    #expect((refused.status, refused.pointers) == (422, ["/operations/0/path"]))
  }
}

@Test func `a path goes on behind a link in a mixed value`() async throws {
  try await withBoxObjects { fixture in
    let value = #"{"deep":[{"$ref":"Box","$id":2}],"own":{"$ref":"Box","$id":1}}"#
    let place = "/v1/collections/Box/1/"
    #expect(try await fixture.send(.put, place + "mixed", json: value).status == 204)
    for (target, status, text) in [
      ("mixed/deep/0", 200, #"{"$ref":"Box","$id":2}"#), ("mixed/deep/0/n", 200, "6"),
      ("mixed/own/map/a", 200, "1"), ("mixed/own/map?only=count", 200, "3"), ("mixed/own/link/n", 200, "6"),
      ("mixed/own/mixed/own/list/-1", 200, #""z""#), ("mixed/own/inner/tags/0", 200, #""t""#),
      ("mixed/own/none", 404, "path_not_found"), ("mixed/own/map/x", 404, "entry_not_found"),
      ("mixed/own/list/9", 404, "index_out_of_range"), ("mixed/own/holders", 404, "path_not_found"),
    ] as [(String, UInt16, String)] {
      let answer = try await fixture.send(.get, place + target)
      #expect((answer.status, answer.code ?? answer.text) == (status, text), "\(target): \(answer.text)")
    }
    let before = try await fixture.everything()
    let put = try await fixture.send(.put, place + "mixed/own/n", json: "9")
    #expect((put.status, put.code) == (404, "path_not_found"))
    #expect(try await fixture.everything() == before)
  }
}
