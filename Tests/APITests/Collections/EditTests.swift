import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// JSON Patch and field operators, through the whole pipeline.
@Suite struct EditTests {
  static let schema = """
    [{"name":"Thing","primaryKey":"_id","properties":{"_id":"int","name":"string","count":"int","maybe":"int?",\
    "ratio":"double","small":"float","price":"decimal128?","seen":"date?","raw":"data?","scores":"int[]",\
    "tags":"string<>","names":"string{}","place":"Place?","places":"Place[]","friend":"Thing?","friends":"Thing[]",\
    "any":"mixed","anys":"mixed{}","fans":{"type":"linkingObjects","objectType":"Thing","property":"friend"}}},\
    {"name":"Place","embedded":true,"properties":{"x":"double","note":"string?"}}]
    """

  static let thing = """
    {"_id":1,"name":"a","count":5,"ratio":1.5,"small":0.25,"price":"1.10","seen":"2020-01-01T00:00:00Z",\
    "scores":[1,2,3],"tags":["p","q"],"names":{"de":"D","en/us":"E","t~d":"T"},"place":{"x":1.0},\
    "places":[{"x":2.0,"note":"two"}],"friends":[1],"any":[1,{"k":[true]}],"anys":{"n":1}}
    """

  private static let path = "/v1/collections/Thing/1"
  private static let patchFields = ["content-type": "application/json-patch+json"]

  /// Applies content to the thing and gives the answer, and one property afterwards.
  private func change(
    _ content: String, _ fields: [String: String], _ property: String
  ) async throws -> (answer: Answer, after: String?, isUnchanged: Bool) {
    let fixture = try await Fixture(EditTests.schema)
    _ = try await fixture.send(.put, EditTests.path, json: EditTests.thing)
    let before = try await fixture.everything()
    let answer = try await fixture.send(.patch, EditTests.path, fields, Array(content.utf8))
    let isUnchanged = try await fixture.everything() == before
    let after = try await fixture.send(.get, EditTests.path).document[property]
    await fixture.remove()
    return (answer, after.map { String(decoding: $0.plainJSON, as: UTF8.self) }, isUnchanged)
  }

  @Test(arguments: [
    (#"[{"op":"replace","path":"/name","value":"b"}]"#, "name", #""b""#),
    (#"[{"op":"add","path":"/maybe","value":7}]"#, "maybe", "7"),
    (#"[{"op":"remove","path":"/price"}]"#, "price", "null"),
    (#"[{"op":"remove","path":"/scores"}]"#, "scores", "[]"),
    (#"[{"op":"add","path":"/scores/1","value":9}]"#, "scores", "[1,9,2,3]"),
    (#"[{"op":"add","path":"/scores/-","value":9},{"op":"remove","path":"/scores/0"}]"#, "scores", "[2,3,9]"),
    (#"[{"op":"replace","path":"/scores/2","value":{"$numberLong":"9"}}]"#, "scores", "[1,2,9]"),
    (#"[{"op":"move","from":"/scores/0","path":"/scores/2"}]"#, "scores", "[2,3,1]"),
    (#"[{"op":"copy","from":"/scores/0","path":"/maybe"}]"#, "maybe", "1"),
    (#"[{"op":"add","path":"/tags/-","value":"a"}]"#, "tags", #"["a","p","q"]"#),
    (
      #"[{"op":"remove","path":"/names/en~1us"},{"op":"remove","path":"/names/t~0d"}]"#, "names",
      #"{"de":"D"}"#
    ),
    (
      #"[{"op":"move","from":"/names/de","path":"/names/fr"}]"#, "names", #"{"en/us":"E","fr":"D","t~d":"T"}"#
    ),
    (#"[{"op":"replace","path":"/place/x","value":3}]"#, "place", #"{"x":3.0,"note":null}"#),
    (
      #"[{"op":"add","path":"/places/0","value":{"x":1.0}},{"op":"remove","path":"/places/1/note"}]"#,
      "places",
      #"[{"x":1.0,"note":null},{"x":2.0,"note":null}]"#
    ),
    (#"[{"op":"copy","from":"/places/0","path":"/place"}]"#, "place", #"{"x":2.0,"note":"two"}"#),
    (#"[{"op":"add","path":"/any/1/k/0","value":"new"}]"#, "any", #"[1,{"k":["new",true]}]"#),
    (#"[{"op":"remove","path":"/any/0"}]"#, "any", #"[{"k":[true]}]"#),
    (#"[{"op":"add","path":"/friend","value":1}]"#, "friend", "1"),
    (
      #"[{"op":"test","path":"/seen","value":"2020-01-01T00:00:00.000Z"},{"op":"replace","path":"/count","value":1}]"#,
      "count", "1"
    ),
    (
      #"[{"op":"test","path":"/tags","value":["q","p"]},{"op":"test","path":"/anys/n","value":1.0},"#
        + #"{"op":"test","path":"/price","value":"1.1"},{"op":"test","path":"/maybe","value":null}]"#,
      "count", "5"
    ),
    ("[]", "count", "5"),
  ])
  func `a JSON Patch changes the object`(content: String, property: String, after: String) async throws {
    let outcome = try await change(content, EditTests.patchFields, property)
    #expect(outcome.answer.status == 200, "\(outcome.answer.text)")
    #expect(outcome.after == after)
    #expect(outcome.answer.fields["etag"] != nil)
  }

  @Test(
    arguments: [
      (
        #"[{"op":"replace","path":"/count","value":1},{"op":"test","path":"/count","value":5}]"#, 409,
        "patch_test_failed", "/1"
      ),
      (#"[{"op":"test","path":"/scores/0","value":2}]"#, 409, "patch_test_failed", "/0"),
      (#"[{"op":"remove","path":"/names/xx"}]"#, 409, "patch_path_not_found", "/0"),
      (#"[{"op":"add","path":"/scores/4","value":1}]"#, 409, "patch_path_not_found", "/0"),
      (#"[{"op":"replace","path":"/scores/3","value":1}]"#, 409, "patch_path_not_found", "/0"),
      (#"[{"op":"add","path":"/any/0/x","value":1}]"#, 409, "patch_path_not_found", "/0"),
      (#"[{"op":"replace","path":"/name","value":1}]"#, 422, "invalid_object", "/0/value"),
      (#"[{"op":"copy","from":"/count","path":"/name"}]"#, 422, "invalid_object", "/0"),
      (#"[{"op":"remove","path":"/name"}]"#, 422, "invalid_object", "/0"),
      (#"[{"op":"add","path":"/nope","value":1}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"/fans","value":[]}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"/name/x","value":1}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"/friend/name","value":"x"}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"/scores/01","value":1}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"name","value":1}]"#, 422, "invalid_object", "/0/path"),
      (#"[{"op":"add","path":"/names/a.b","value":"1"}]"#, 422, "illegal_key", "/0/path"),
      (#"[{"op":"add","path":"/name"}]"#, 422, "invalid_object", "/0/value"),
      (#"[{"op":"grow","path":"/name"}]"#, 422, "invalid_object", "/0/op"),
      (#"[{"op":"move","from":"/any","path":"/any/0"}]"#, 422, "invalid_object", "/0/from"),
      (#"{"op":"add"}"#, 422, "invalid_object", ""),
      (#"[{"op":"replace","path":"/_id","value":2}]"#, 422, "primary_key_changed", nil),
      (#"[{"op":"add","path":"/friend","value":77}]"#, 409, "link_target_not_found", nil),
      ("[", 400, "malformed_json", nil),
    ] as [(String, UInt16, String, String?)])
  func `a JSON Patch that fails changes nothing`(
    content: String, status: UInt16, code: String, pointer: String?
  ) async throws {
    let outcome = try await change(content, EditTests.patchFields, "name")
    #expect(outcome.answer.status == status)
    #expect(outcome.answer.code == code)
    if let pointer { #expect(outcome.answer.pointers == [pointer]) }
    #expect(outcome.isUnchanged)
  }

  @Test(arguments: [
    (#"{"$set":{"name":"b","place.x":4,"names.de":"X"}}"#, "names", #"{"de":"X","en/us":"E","t~d":"T"}"#),
    (#"{"$set":{"scores.1":9}}"#, "scores", "[1,9,3]"),
    (#"{"$unset":{"names.de":1,"names.zz":1}}"#, "names", #"{"en/us":"E","t~d":"T"}"#),
    (#"{"$unset":{"price":""}}"#, "price", "null"),
    (#"{"$inc":{"count":-7}}"#, "count", "-2"),
    (#"{"$inc":{"ratio":1}}"#, "ratio", "2.5"),
    (#"{"$inc":{"small":0.5}}"#, "small", "0.75"),
    (#"{"$inc":{"price":{"$numberDecimal":"0.15"}}}"#, "price", #""1.25""#),
    (#"{"$inc":{"anys.n":0.5}}"#, "anys", #"{"n":1.5}"#),
    (#"{"$inc":{"scores.0":41}}"#, "scores", "[42,2,3]"),
    (#"{"$min":{"count":3}}"#, "count", "3"), (#"{"$min":{"count":9}}"#, "count", "5"),
    (#"{"$max":{"count":9}}"#, "count", "9"), (#"{"$max":{"maybe":9}}"#, "maybe", "9"),
    (#"{"$max":{"seen":"2021-01-01T00:00:00Z"}}"#, "seen", #""2021-01-01T00:00:00Z""#),
    (#"{"$max":{"name":"Z"}}"#, "name", #""a""#),
    (#"{"$min":{"names.new":"x"}}"#, "names", #"{"de":"D","en/us":"E","new":"x","t~d":"T"}"#),
    (#"{"$push":{"scores":4}}"#, "scores", "[1,2,3,4]"),
    (#"{"$push":{"scores":{"$each":[8,9],"$position":1}}}"#, "scores", "[1,8,9,2,3]"),
    (#"{"$push":{"scores":{"$each":[8],"$position":-1}}}"#, "scores", "[1,2,8,3]"),
    (#"{"$push":{"scores":{"$each":[8],"$position":99}}}"#, "scores", "[1,2,3,8]"),
    (#"{"$push":{"places":{"x":7}}}"#, "places", #"[{"x":2.0,"note":"two"},{"x":7.0,"note":null}]"#),
    (#"{"$push":{"any":null}}"#, "any", #"[1,{"k":[true]},null]"#),
    (#"{"$push":{"friends":1}}"#, "friends", "[1,1]"),
    (#"{"$addToSet":{"tags":{"$each":["a","p"]}}}"#, "tags", #"["a","p","q"]"#),
    (#"{"$addToSet":{"scores":3}}"#, "scores", "[1,2,3]"),
    (#"{"$pull":{"tags":"p"}}"#, "tags", #"["q"]"#), (#"{"$pull":{"scores":2}}"#, "scores", "[1,3]"),
    (#"{"$pull":{"friends":1}}"#, "friends", "[]"),
    (#"{"$pull":{"any":{"k":[true]}}}"#, "any", "[1]"),
  ])
  func `operators change the object`(content: String, property: String, after: String) async throws {
    let outcome = try await change(content, ["content-type": "application/json"], property)
    #expect(outcome.answer.status == 200, "\(outcome.answer.text)")
    #expect(outcome.after == after)
  }

  @Test(
    arguments: [
      (#"{"$inc":{"count":9223372036854775803}}"#, 422, "invalid_object", "/$inc/count"),
      (#"{"$inc":{"name":1}}"#, 422, "invalid_object", "/$inc/name"),
      (#"{"$inc":{"count":1.5}}"#, 422, "invalid_object", "/$inc/count"),
      (#"{"$inc":{"maybe":1}}"#, 409, "patch_value_unsuitable", "/$inc/maybe"),
      (#"{"$inc":{"anys.none":1}}"#, 409, "patch_path_not_found", "/$inc/anys.none"),
      (#"{"$set":{"name":1}}"#, 422, "invalid_object", "/$set/name"),
      (#"{"$unset":{"name":1}}"#, 422, "invalid_object", "/$unset/name"),
      (#"{"$set":{"nope":1}}"#, 422, "invalid_object", "/$set/nope"),
      (#"{"$set":{"place.y":1}}"#, 422, "invalid_object", "/$set/place.y"),
      (#"{"$set":{"count":1},"$inc":{"count":1}}"#, 422, "invalid_object", "/$inc/count"),
      (#"{"$set":{"place":null,"place.x":1}}"#, 422, "invalid_object", "/$set/place.x"),
      (#"{"$push":{"tags":"x"}}"#, 422, "invalid_object", "/$push/tags"),
      (#"{"$push":{"count":1}}"#, 422, "invalid_object", "/$push/count"),
      (#"{"$push":{"scores":"x"}}"#, 422, "invalid_object", "/$push/scores"),
      (#"{"$push":{"scores":{"$each":[1,"x"]}}}"#, 422, "invalid_object", "/$push/scores/$each/1"),
      (#"{"$push":{"scores":{"$each":[1],"$sort":1}}}"#, 422, "invalid_object", "/$push/scores/$sort"),
      (#"{"$push":{"anys.n":1}}"#, 409, "patch_value_unsuitable", "/$push/anys.n"),
      (#"{"$rename":{"a":"b"}}"#, 422, "invalid_object", "/$rename"),
      (#"{"$inc":1}"#, 422, "invalid_object", "/$inc"),
    ] as [(String, UInt16, String, String)])
  func `operators that fail change nothing`(
    content: String, status: UInt16, code: String, pointer: String
  ) async throws {
    let outcome = try await change(content, ["content-type": "application/ejson"], "name")
    #expect(outcome.answer.status == status, "\(outcome.answer.text)")
    #expect(outcome.answer.code == code)
    #expect(outcome.answer.pointers == [pointer])
    #expect(outcome.isUnchanged)
  }

  @Test func `an edit that comes out as it was makes no commit`() async throws {
    try await Fixture.with(EditTests.schema) { fixture in
      let created = try await fixture.send(.put, EditTests.path, json: EditTests.thing)
      let answer = try await fixture.send(
        .patch, EditTests.path, json: #"{"$addToSet":{"tags":"p"},"$max":{"count":1},"$pull":{"scores":77}}"#)
      #expect(answer.status == 200)
      #expect(answer.fields["etag"] == created.fields["etag"])
      #expect(answer.fields["realm-version"] == created.fields["realm-version"])
    }
  }

  // To a string's own `==` the two spellings of é are one; keys of maps go by their bytes.
  @Test(arguments: [
    (#"{"$set":{"names.e\u0301":"2"}}"#, "json", "names", #"{"e\#u{301}":"2","\#u{e9}":"1"}"#),
    (
      #"{"$set":{"names.\#u{e9}":"2","names.e\u0301":"3"}}"#, "json", "names",
      #"{"e\#u{301}":"3","\#u{e9}":"2"}"#
    ),
    (#"{"$unset":{"names.e\u0301":1}}"#, "json", "names", #"{"\#u{e9}":"1"}"#),
    (#"{"$set":{"any.e\u0301":2}}"#, "json", "any", #"{"e\#u{301}":2,"\#u{e9}":1}"#),
    (
      #"[{"op":"add","path":"/any/e\u0301","value":2}]"#, "json-patch+json", "any",
      #"{"e\#u{301}":2,"\#u{e9}":1}"#
    ),
    (
      #"[{"op":"copy","from":"/names/\#u{e9}","path":"/names/e\u0301"},{"op":"remove","path":"/names/\#u{e9}"}]"#,
      "json-patch+json", "names", #"{"e\#u{301}":"1"}"#
    ),
    (
      #"[{"op":"test","path":"/names","value":{"e\u0301":"1"}}]"#, "json-patch+json", "names",
      #"{"\#u{e9}":"1"}"#
    ),
  ])
  func `keys are told apart by their bytes`(
    content: String, type: String, property: String, after: String
  ) async throws {
    try await Fixture.with(EditTests.schema) { fixture in
      let start =
        #"{"_id":1,"name":"a","count":5,"ratio":1,"small":1,"names":{"\#u{e9}":"1"},"any":{"\#u{e9}":1}}"#
      _ = try await fixture.send(.put, EditTests.path, json: start)
      let answer = try await fixture.send(
        .patch, EditTests.path, ["content-type": "application/\(type)"], Array(content.utf8))
      #expect(answer.status == (content.contains("test") ? 409 : 200))
      let found = try await fixture.send(.get, EditTests.path).document[property]
      #expect(found.map { Array($0.plainJSON) } == Array(after.utf8))
    }
  }

  // Twenty-two such operations made four million values of two, forty seconds of everybody's waiting and two gigabytes.
  @Test func `copies of copies end at a limit`() async throws {
    let copies = (0..<60).map { #"{"op":"copy","from":"/any","path":"/any/k\#($0)"}"# }
    let schema = #"[{"name":"Thing","primaryKey":"_id","properties":{"_id":"int","any":"mixed"}}]"#
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.put, EditTests.path, json: #"{"any":{"x":1}}"#)
      let before = try await fixture.everything()
      let patch = "[" + copies.joined(separator: ",") + "]"
      let answer = try await fixture.send(.patch, EditTests.path, EditTests.patchFields, Array(patch.utf8))
      #expect((answer.status, answer.code) == (422, "invalid_object"))
      #expect(answer.errors?.contains("too_much_work") == true)
      #expect(try await fixture.everything() == before)
    }
  }

  // It was applied for 199 seconds, while everybody's writes waited, and left an object of 1.5 GB.
  @Test(arguments: ["/texts/-", "/any/k"]) func `copies of a long text end at a limit`(target: String)
    async throws
  {
    let text = String(repeating: "x", count: 1_000_000)
    let copies = (0..<1500).map { index in
      #"{"op":"copy","from":"/text","path":"\#(target)\#(target == "/texts/-" ? "" : "\(index)")"}"#
    }
    let patch = #"[{"op":"add","path":"/text","value":"\#(text)"},\#(copies.joined(separator: ","))]"#
    let schema =
      #"[{"name":"Thing","primaryKey":"_id","properties":{"_id":"int","text":"string?","texts":"string[]","any":"mixed"}}]"#
    try await Fixture.with(schema) { fixture in
      _ = try await fixture.send(.put, EditTests.path, json: #"{"any":{}}"#)
      let before = try await fixture.everything()
      let answer = try await fixture.send(.patch, EditTests.path, EditTests.patchFields, Array(patch.utf8))
      #expect((answer.status, answer.code) == (422, "invalid_object"))
      #expect(answer.errors?.contains("too_much_work") == true)
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `a path that no value can have is refused`() async throws {
    let path = "any" + String(repeating: ".a", count: 200)
    let outcome = try await change(
      #"{"$set":{"\#(path)":1}}"#, ["content-type": "application/json"], "any")
    #expect(outcome.answer.errors?.contains("too_deep") == true)
    #expect(outcome.isUnchanged)
  }

  @Test func `an edit obeys If-Match`() async throws {
    try await Fixture.with(EditTests.schema) { fixture in
      _ = try await fixture.send(.put, EditTests.path, json: EditTests.thing)
      let refused = try await fixture.send(
        .patch, EditTests.path, ["if-match": "\"1\""], json: #"{"$inc":{"count":1}}"#)
      #expect(refused.code == "precondition_failed")
      let done = try await fixture.send(
        .patch, EditTests.path, ["if-match": "\"2\""], json: #"{"$inc":{"count":1}}"#)
      #expect(done.status == 200)
      #expect(done.fields["etag"] == "\"3\"")
    }
  }

  @Test func `increments from many at once are all counted`() async throws {
    try await Fixture.with(EditTests.schema) { fixture in
      _ = try await fixture.send(.put, EditTests.path, json: EditTests.thing)
      try await withThrowingTaskGroup(of: UInt16.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await fixture.send(.patch, EditTests.path, json: #"{"$inc":{"count":1}}"#).status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try await fixture.send(.get, EditTests.path + "?fields=count").text == #"{"count":55}"#)
    }
  }
}
