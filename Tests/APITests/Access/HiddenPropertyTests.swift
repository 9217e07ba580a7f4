import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// A property that is not shown does not tell either that it has changed: the intruder does not see `secret` of note 1.
@Suite struct HiddenPropertyTests {
  private static let note = "/v1/collections/Note/1"

  private static func read(
    _ attempt: IntrusionFixture, _ query: String = "", _ fields: [String: String] = [:]
  ) async throws -> Answer {
    try await attempt.fixture.send(.get, note + query, attempt.intruder.merging(fields) { $1 })
  }

  /// Changes the schema as the administrator.
  private static func change(_ attempt: IntrusionFixture, _ json: String) async throws {
    let answer = try await attempt.fixture.send(.patch, note, attempt.administrator, json: json)
    try #require(answer.status == 200, "\(answer.text)")
  }

  @Test(arguments: ["application/json", "application/ejson", "application/bson"], ["", "?fields=id,text"])
  func `an entity tag is of what is shown`(accept: String, query: String) async throws {
    let attempt = try await IntrusionFixture()
    let fields = ["accept": accept]
    let first = try await Self.read(attempt, query, fields)
    let tag = try #require(first.fields["etag"])
    #expect(tag.hasPrefix("\"s"))
    try await Self.change(attempt, #"{"secret":"SECRET 2"}"#)
    let second = try await Self.read(attempt, query, fields)
    #expect(second.fields["etag"] == tag && second.content == first.content)
    let current = try await Self.read(attempt, query, fields.merging(["if-none-match": tag]) { $1 })
    #expect((current.status, current.fields["etag"], current.text) == (304, tag, ""))
    #expect(try await Self.read(attempt, query, fields.merging(["if-match": tag]) { $1 }).status == 200)
    try await Self.change(attempt, #"{"text":"other"}"#)
    let third = try await Self.read(attempt, query, fields.merging(["if-none-match": tag]) { $1 })
    #expect(third.status == 200 && third.fields["etag"] != tag)
    #expect(try await Self.read(attempt, query, fields.merging(["if-match": tag]) { $1 }).status == 412)
    // The administrator's is a version, as ever.
    let whole = try await attempt.fixture.send(.get, Self.note, attempt.administrator)
    #expect(whole.fields["etag"] == "\"\(attempt.fixture.store.version)\"")
    await attempt.fixture.remove()
  }

  @Test func `no path leads to a hidden property through a link in a mixed value`() async throws {
    let fixture = try await Fixture(
      """
      [{"name":"Profile","primaryKey":"_id","properties":{"_id":"int","name":"string","salary":"int","tags":"string[]"}},
       {"name":"Part","embedded":true,"properties":{"m":"mixed"}},
       {"name":"Note","primaryKey":"_id","properties":{"_id":"int","m":"mixed","ms":"mixed[]","mm":"mixed{}","part":"Part?"}}]
      """, adminKey: "administrator's key")
    let administrator = ["authorization": "Bearer administrator's key"]
    let roles = try await fixture.send(
      .put, "/v1/roles", administrator,
      json: """
        {"app":{"classes":{"Note":{"read":true,"write":true},
          "Profile":{"read":true,"fields":{"salary":{"read":false},"tags":{"read":false}}}}}}
        """)
    #expect(roles.status == 200, "\(roles.text)")
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "app", classes: [])
    let caller = ["authorization": "Bearer \(key.text)"]
    let profile = try await fixture.send(
      .post, "/v1/collections/Profile", administrator,
      json: #"{"_id":7,"name":"n","salary":987654,"tags":["SECRET"]}"#)
    #expect(profile.status == 201, "\(profile.text)")
    let link = #"{"$ref":"Profile","$id":7}"#
    let note = try await fixture.send(
      .post, "/v1/collections/Note", caller,
      json: """
        {"_id":1,"m":\(link),"ms":[[\(link)]],"mm":{"a":\(link),"d":{"x":[\(link)]}},"part":{"m":\(link)}}
        """)
    #expect(note.status == 201, "\(note.text)")
    for way in ["m", "ms/0/0", "mm/a", "mm/d/x/0", "part/m"] {
      let place = "/v1/collections/Note/1/\(way)"
      #expect(try await fixture.send(.get, "\(place)/name", caller).text == "\"n\"")
      for name in ["salary", "tags", "tags/0", "tags?only=count"] {
        let answer = try await fixture.send(.get, "\(place)/\(name)", caller)
        let unknown = try await fixture.send(
          .get, "\(place)/\(name.replacing("tags", with: "nothing").replacing("salary", with: "nothing"))",
          caller)
        #expect(answer.status == 404 && answer.code == unknown.code, "\(place)/\(name): \(answer.text)")
        #expect(try await fixture.send(.get, "\(place)/\(name)", administrator).status == 200)
      }
    }
    await fixture.remove()
  }

  @Test func `nothing that is inserted anywhere does not tell how long a list is`() async throws {
    let fixture = try await Fixture(
      """
      [{"name":"Tag","primaryKey":"_id","properties":{"_id":"int","shown":"bool"}},
       {"name":"Note","primaryKey":"_id","properties":{"_id":"int","tags":"Tag[]"}}]
      """, adminKey: "administrator's key")
    let administrator = ["authorization": "Bearer administrator's key"]
    _ = try await fixture.send(
      .put, "/v1/roles", administrator,
      json: #"{"app":{"classes":{"Note":{"read":true,"write":true},"Tag":{"read":"shown == true"}}}}"#)
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "app", classes: [])
    for (id, shown) in [(1, true), (2, false)] {
      _ = try await fixture.send(
        .post, "/v1/collections/Tag", administrator, json: #"{"_id":\#(id),"shown":\#(shown)}"#)
    }
    // One has a hidden element, the other one has none.
    for (id, tags) in [(1, "[1,2]"), (2, "[1]")] {
      _ = try await fixture.send(
        .post, "/v1/collections/Note", administrator, json: #"{"_id":\#(id),"tags":\#(tags)}"#)
    }
    for index in [0, 1, 2, 5, -1, -3] {
      for id in [1, 2] {
        let target = "/v1/collections/Note/\(id)/tags?at=\(index)"
        let answer = try await fixture.send(
          .post, target, ["authorization": "Bearer \(key.text)"], json: "[]")
        #expect(answer.status == 204, "\(target): \(answer.text)")
      }
    }
    await fixture.remove()
  }

  @Test func `a write asks for what was shown`() async throws {
    let attempt = try await IntrusionFixture()
    let send = { (method: GatehouseHTTP.Method, target: String, tag: String, json: String) in
      try await attempt.fixture.send(
        method, target, attempt.intruder.merging(["if-match": tag]) { $1 }, json: json)
    }
    let tag = try #require(try await Self.read(attempt).fields["etag"])
    try await Self.change(attempt, #"{"secret":"SECRET 2"}"#)
    let written = try await send(.patch, Self.note, tag, #"{"text":"a"}"#)
    #expect(written.status < 300 && written.fields["etag"] == nil, "\(written.text)")
    #expect(try await send(.patch, Self.note, tag, #"{"text":"b"}"#).status == 412)
    let ejson = try #require(try await Self.read(attempt, "", ["accept": "application/ejson"]).fields["etag"])
    let property = try await send(.put, Self.note + "/text", ejson, #""c""#)
    #expect(property.status < 300 && property.fields["etag"] == nil, "\(property.text)")
    #expect(try await send(.put, Self.note + "/text", ejson, #""d""#).status == 412)
    #expect(try await Self.read(attempt, "/text").fields["etag"] == nil)
    await attempt.fixture.remove()
  }

  @Test func `a version cannot be found out by asking for it`() async throws {
    let attempt = try await IntrusionFixture()
    try await Self.change(attempt, #"{"secret":"SECRET 2"}"#)
    let before = attempt.fixture.store.version
    let tags = (0...before + 1).map { "\"\($0)\"" }
    let fields = attempt.intruder.merging(["if-match": tags.joined(separator: ", ")]) { $1 }
    #expect(try await attempt.fixture.send(.patch, Self.note, fields, json: #"{"text":"a"}"#).status == 412)
    #expect(try await attempt.fixture.send(.put, Self.note + "/text", fields, json: #""a""#).status == 412)
    #expect(try await attempt.fixture.send(.delete, Self.note, fields).status == 412)
    #expect(try await Self.read(attempt, "", ["if-match": tags[Int(before)]]).status == 412)
    for (operation, members) in [("update", #","set":{"text":"a"}"#), ("delete", "")] {
      let json =
        #"{"operations":[{"op":"\#(operation)","class":"Note","id":1,"ifVersion":\#(before)\#(members)}]}"#
      let answer = try await attempt.fixture.send(.post, "/v1/transactions", attempt.intruder, json: json)
      #expect((answer.status, answer.code) == (403, "forbidden"), "\(answer.text)")
    }
    #expect(attempt.fixture.store.version == before)
    let same = try await attempt.fixture.send(
      .post, "/v1/transactions", attempt.intruder,
      json: #"{"operations":[{"op":"update","class":"Note","id":1,"set":{"text":"mine"}}]}"#)
    #expect(
      same.text.contains(#""results":[{"op":"update","class":"Note","id":1,"effect":"updated"}]"#))
    await attempt.fixture.remove()
  }

  @Test(arguments: ["/v1/collections/Note?fields=id,n", "/v1/collections/Note/1?fields=id,n", note])
  func `an event stream is silent about it`(target: String) async throws {
    let attempt = try await IntrusionFixture()
    let intruder = try await attempt.fixture.watch(target, attempt.intruder)
    let administrator = try await attempt.fixture.watch(target, attempt.administrator)
    for watcher in [intruder, administrator] { _ = await watcher.events(through: "ready") }
    try await Self.change(attempt, #"{"secret":"SECRET 2"}"#)
    try await Self.change(attempt, #"{"secret":"SECRET 3","n":40}"#)
    try await Self.change(attempt, #"{"n":41}"#)
    await attempt.fixture.settle()
    let updates = { (text: String) in text.ranges(of: "event: update").count }
    let (shown, all) = (intruder.text, administrator.text)
    #expect(updates(shown) == 2 && updates(all) == 3, "\(shown)\n\(all)")
    #expect(shown.contains(#""changed":["n"]"#) && !shown.contains("secret"), "\(shown)")
    #expect(all.contains(#""changed":["secret"]"#) && all.contains(#""secret""#), "\(all)")
    await attempt.fixture.remove()
  }
}
