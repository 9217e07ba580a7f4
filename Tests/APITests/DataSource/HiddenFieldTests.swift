import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Fields of documents that a role does not read, or does not write.
@Suite struct HiddenFieldTests {
  private static let schema =
    #"[{"name":"Log","schemaless":true,"indexes":["secret","open","secret.x"]},{"name":"Note","primaryKey":"id","properties":{"id":"int","about":"mixed"}}]"#
  private static let roles = """
    {"member":{"classes":{"Note":{"read":true},"Log":{"read":true,"write":true,\
    "fields":{"secret":{"read":false},"fixed":{"write":false}}}}}}
    """
  private static let documents = [
    #"{"_id":1,"fixed":1,"open":1,"secret":"TREASURE"}"#, #"{"_id":2,"open":2,"secret":7}"#,
    #"{"_id":3,"open":3}"#,
  ]

  private struct Gateway {
    let fixture: Fixture
    let admin: [String: String]
    let member: [String: String]

    func send(_ method: GatehouseHTTP.Method, _ path: String, _ json: String = "", type: String? = nil)
      async throws
      -> Answer
    {
      var fields = member
      if let type { fields["content-type"] = type }
      return json.isEmpty
        ? try await fixture.send(method, path, fields)
        : type == nil
          ? try await fixture.send(method, path, fields, json: json)
          : try await fixture.send(method, path, fields, Array(json.utf8))
    }

    /// A document as it is stored.
    func stored(_ id: Int) async throws -> String {
      try await fixture.send(.get, "/v1/collections/Log/\(id)", admin).text
    }
  }

  private func with(_ body: (Gateway) async throws -> Void) async throws {
    try await Fixture.with(Self.schema) { fixture in
      for json in Self.documents {
        let answer = try await fixture.send(.post, "/v1/collections/Log", json: json)
        try #require(answer.status == 201, "\(answer.text)")
      }
      let note = try await fixture.send(
        .post, "/v1/collections/Note", json: #"{"id":1,"about":{"$ref":"Log","$id":1}}"#)
      try #require(note.status == 201)
      let (admin, member) = try await fixture.callers(under: Self.roles)
      try await body(Gateway(fixture: fixture, admin: admin, member: member))
    }
  }

  /// Returns the path with its parameters encoded.
  private static func path(_ query: String) -> String {
    let path = "/v1/collections/Log"
    guard let mark = query.firstIndex(of: "?") else { return path + query }
    let parameters = query[query.index(after: mark)...].split(separator: "&").map { part -> String in
      let name = String(part.prefix { $0 != "=" })
      return name + "=" + String(part.dropFirst(name.count + 1)).percentEncoded
    }
    return path + String(query[..<mark]) + "?" + parameters.joined(separator: "&")
  }

  /// Each answer is that of documents that have no such field.
  @Test(arguments: [
    ("", #"[{"_id":1,"fixed":1,"open":1},{"_id":2,"open":2},{"_id":3,"open":3}]"#),
    ("?fields=_id,secret&limit=1", #"[{"_id":1}]"#), ("?fields=_id,x:secret&limit=1", #"[{"_id":1}]"#),
    ("?fields=_id&filter=secret == 'TREASURE'", "[]"), ("?fields=_id&filter=secret > 0", "[]"),
    ("?fields=_id&filter=secret BEGINSWITH 'T'", "[]"),
    ("?fields=_id&filter=secret == nil", #"[{"_id":1},{"_id":2},{"_id":3}]"#),
    ("?fields=_id&filter=NOT secret == 7", #"[{"_id":1},{"_id":2},{"_id":3}]"#),
    ("?fields=_id&filter=secret.@type == 'int'", "[]"), ("?fields=_id&filter=secret.@size > 0", "[]"),
    ("?fields=_id&filter=secret == open", "[]"),
    ("?fields=_id&sort=secret,-_id", #"[{"_id":3},{"_id":2},{"_id":1}]"#),
    ("?fields=_id&distinct=secret", #"[{"_id":1}]"#), ("/1", #"{"_id":1,"fixed":1,"open":1}"#),
    ("?filter=open == 2", #"[{"_id":2,"open":2}]"#),
  ])
  func `what is hidden is not there`(query: String, answer: String) async throws {
    try await with { gateway in
      let path = Self.path(query)
      let found = try await gateway.send(.get, path)
      #expect(found.text == answer, "\(path)")
    }
  }

  @Test func `a link leads to no field that is hidden`() async throws {
    try await with { gateway in
      for filter in ["about.secret == 'TREASURE'", "about['secret'] BEGINSWITH 'T'"] {
        let found = try await gateway.send(.get, "/v1/collections/Note?filter=\(filter.percentEncoded)")
        #expect(found.text == "[]")
      }
      let open = try await gateway.send(.get, "/v1/collections/Note?filter=about.open%20==%201")
      #expect(open.text.contains(#""id":1"#))
    }
  }

  @Test func `a path, a table, an explanation and the schema do not tell of it`() async throws {
    try await with { gateway in
      let one = try await gateway.send(.get, "/v1/collections/Log/1/secret")
      let none = try await gateway.send(.get, "/v1/collections/Log/1/nothing")
      #expect((one.status, one.code) == (none.status, none.code))
      #expect(one.status == 404)
      let table = try await gateway.fixture.send(
        .get, "/v1/collections/Log", gateway.member.merging(["accept": "text/csv"]) { $1 })
      #expect(!table.text.contains("secret") && !table.text.contains("TREASURE"), "\(table.text)")
      let schema = try await gateway.send(.get, "/v1/schema")
      #expect(schema.text.contains(#""indexes":["open"]"#), "\(schema.text)")
      let filter = "open == 1 AND secret == 'TREASURE'".percentEncoded
      let plan = try await gateway.send(.get, "/v1/collections/Log?explain=true&filter=\(filter)")
      #expect(plan.status == 200 && !plan.text.contains("(secret)"), "\(plan.text)")
    }
  }

  @Test(arguments: [
    (GatehouseHTTP.Method.patch, #"{"secret":1}"#, "application/merge-patch+json"),
    (.patch, #"{"fixed":2}"#, "application/merge-patch+json"),
    (.patch, #"{"fixed":null}"#, "application/merge-patch+json"),
    (.patch, #"[{"op":"test","path":"/secret","value":"TREASURE"}]"#, "application/json-patch+json"),
    (.patch, #"[{"op":"copy","from":"/secret","path":"/open"}]"#, "application/json-patch+json"),
    (.patch, #"[{"op":"remove","path":"/secret"}]"#, "application/json-patch+json"),
    (.patch, ##"{"$unset":{"secret":""}}"##, "application/json"),
    (.put, #"{"open":1,"secret":"TREASURE"}"#, "application/json"),
    (.put, #"{"open":1,"fixed":2}"#, "application/json"),
  ])
  func `what is not to be written is not written`(method: GatehouseHTTP.Method, json: String, type: String)
    async throws
  {
    try await with { gateway in
      let answer = try await gateway.send(method, "/v1/collections/Log/1", json, type: type)
      #expect(answer.status == 403 && !answer.text.contains("TREASURE"), "\(answer.text)")
      #expect(try await gateway.stored(1) == Self.documents[0])
    }
  }

  @Test func `a field is no place to write to where it is hidden`() async throws {
    try await with { gateway in
      for (method, json) in [(GatehouseHTTP.Method.put, "5"), (.delete, "")] {
        let answer = try await gateway.send(method, "/v1/collections/Log/1/secret", json)
        #expect(answer.status == 403, "\(answer.text)")
      }
      let created = try await gateway.send(.post, "/v1/collections/Log", #"{"_id":9,"secret":1}"#)
      #expect(created.status == 403)
      for json in [#"{"secret":1}"#, #"{"fixed":1}"#] {
        let put = try await gateway.send(.put, "/v1/collections/Log/9", json)
        #expect(put.status == 403, "\(put.text)")
      }
      let put = try await gateway.send(.put, "/v1/collections/Log/9", #"{"open":1}"#)
      #expect(put.status == 201, "\(put.text)")
      #expect(try await gateway.stored(1) == Self.documents[0])
    }
  }

  @Test func `a document that is written keeps what is hidden`() async throws {
    try await with { gateway in
      let put = try await gateway.send(.put, "/v1/collections/Log/1", #"{"fixed":1,"n":1}"#)
      #expect(put.text == #"{"_id":1,"fixed":1,"n":1}"#, "\(put.text)")
      #expect(try await gateway.stored(1) == #"{"_id":1,"fixed":1,"n":1,"secret":"TREASURE"}"#)
      let other = try await gateway.send(.put, "/v1/collections/Log/1", #"{"open":4}"#)
      #expect(other.text == #"{"_id":1,"fixed":1,"open":4}"#, "\(other.text)")
      let patch = try await gateway.send(
        .patch, "/v1/collections/Log/1", #"[{"op":"add","path":"/open","value":5}]"#,
        type: "application/json-patch+json")
      #expect(patch.text == #"{"_id":1,"fixed":1,"open":5}"#, "\(patch.text)")
      let all = try await gateway.send(.post, "/v1/collections/Log?mode=all", #"{"_id":1,"open":6}"#)
      #expect(all.text == #"{"_id":1,"fixed":1,"open":6}"#, "\(all.text)")
      #expect(try await gateway.stored(1) == #"{"_id":1,"fixed":1,"open":6,"secret":"TREASURE"}"#)
    }
  }

  @Test(arguments: [
    ("find", #""filter":{"secret":"TREASURE"}"#, #"{"documents":[]}"#),
    ("find", #""filter":{"secret":{"$exists":true}}"#, #"{"documents":[]}"#),
    ("findOne", #""filter":{"open":1}"#, #"{"document":{"_id":1,"fixed":1,"open":1}}"#),
    (
      "aggregate", ##""pipeline":[{"$group":{"_id":"$secret","n":{"$sum":1}}}]"##,
      #"{"documents":[{"_id":null,"n":3}]}"#
    ),
    ("distinct", #""key":"secret""#, #"{"values":[]}"#),
    (
      "updateOne", #""filter":{"open":1},"update":{"$set":{"open":4}}"#,
      #"{"matchedCount":1,"modifiedCount":1}"#
    ),
    (
      "replaceOne", #""filter":{"open":1},"replacement":{"fixed":1,"q":1}"#,
      #"{"matchedCount":1,"modifiedCount":1}"#
    ),
  ])
  func `the data source has documents without it`(action: String, members: String, answer: String)
    async throws
  {
    try await with { gateway in
      let found = try await gateway.send(
        .post, DataAPITests.target(action), DataAPITests.content("Log", members))
      #expect(found.text == answer)
      #expect(try await gateway.stored(1).contains(#""secret":"TREASURE""#))
    }
  }

  @Test func `commands do not write it`() async throws {
    try await with { gateway in
      for update in [#"{"$set":{"secret":1}}"#, #"{"$set":{"fixed":2}}"#, #"{"$unset":{"fixed":""}}"#] {
        let answer = try await gateway.send(
          .post, DataAPITests.target("updateOne"),
          DataAPITests.content("Log", #""filter":{"open":1},"update":\#(update)"#))
        #expect(answer.status == 403, "\(update): \(answer.text)")
      }
      #expect(try await gateway.stored(1) == Self.documents[0])
    }
  }

  @Test func `events and the log do not tell of it`() async throws {
    try await with { gateway in
      let watcher = try await gateway.fixture.watch("/v1/collections/Log?values=true", gateway.member)
      _ = await watcher.events(through: "ready")
      for json in [#"{"secret":"NEW"}"#, #"{"open":9,"secret":"OTHER"}"#] {
        _ = try await gateway.fixture.send(.patch, "/v1/collections/Log/1", gateway.admin, json: json)
      }
      await gateway.fixture.settle()
      #expect(
        StreamEvent.all(in: watcher.text).compactMap(\.data).filter { $0.contains("changed") }.count == 1,
        "\(watcher.text)")
      let changes = try await gateway.send(.get, "/v1/changes?since=1&class=Log")
      for text in [watcher.text, changes.text] {
        for word in ["secret", "TREASURE", "NEW", "OTHER"] {
          #expect(!text.contains(word), "\(text)")
        }
      }
      #expect(
        changes.text.contains(#""changed":["open"],"before":{"open":1},"after":{"open":9}"#),
        "\(changes.text)")
      await watcher.leave()
    }
  }

  @Test func `a link in a hidden field does not tell of what it leads to`() async throws {
    try await with { gateway in
      for (id, field) in [(4, "secret"), (5, "open")] {
        let document = #"{"_id":\#(id),"\#(field)":{"$ref":"Note","$id":\#(id)}}"#
        for (name, json) in [("Note", #"{"id":\#(id)}"#), ("Log", document)] {
          let made = try await gateway.fixture.send(
            .post, "/v1/collections/\(name)", gateway.admin, json: json)
          try #require(made.status == 201, "\(made.text)")
        }
      }
      let filter = "@links.@count == 1".percentEncoded
      let linked = try await gateway.send(.get, "/v1/collections/Note?fields=id&filter=\(filter)")
      #expect(linked.text == #"[{"id":5}]"#)
      let watcher = try await gateway.fixture.watch("/v1/collections/Log?fields=_id", gateway.member)
      _ = await watcher.events(through: "ready")
      for id in [4, 5] {
        let target = "/v1/collections/Note/\(id)"
        let changed = try await gateway.fixture.send(.patch, target, gateway.admin, json: #"{"about":1}"#)
        #expect(changed.status == 200, "\(changed.text)")
      }
      await gateway.fixture.settle()
      let events = StreamEvent.all(in: watcher.text).drop { $0.name != "ready" }.dropFirst()
        .compactMap(\.data)
      #expect(events.count == 1 && events.allSatisfy { $0.contains(#""id":5"#) }, "\(watcher.text)")
      await watcher.leave()
    }
  }
}
