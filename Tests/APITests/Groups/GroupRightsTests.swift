import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// The rights of callers, which are the same in every group.
@Suite struct GroupRightsTests {
  private static func rights(_ name: String) -> String {
    #""\#(name)":{"read":"owner == 'me'","write":"owner == 'me' AND n < 10","fields":{"n":{"write":false}}}"#
  }
  private static let roles = #"{"member":{"classes":{\#(rights("City")),\#(rights("Order"))}}}"#

  /// Requests on a class, of which each is sent to one of the main store and to one of a group.
  private static let requests: [(GatehouseHTTP.Method, String, String?)] = [
    (.get, "/v1/collections/X", nil), (.get, "/v1/collections/X/1", nil), (.get, "/v1/collections/X/2", nil),
    (.get, "/v1/collections/X?filter=n%3E0&fields=id", nil), (.get, "/v1/collections/X/1/next", nil),
    (.get, "/v1/collections/X?count=true", nil), (.get, "/v1/collections/X/3/n", nil),
    (.post, "/v1/query", #"{"from":"X","filter":"owner == 'other'"}"#),
    (.post, "/v1/collections/X", #"{"id":8,"owner":"me"}"#),
    (.post, "/v1/collections/X", #"{"id":9,"owner":"other"}"#),
    (.post, "/v1/collections/X", #"{"id":10,"owner":"me","n":1}"#),
    (.patch, "/v1/collections/X/1", #"{"owner":"other"}"#),
    (.patch, "/v1/collections/X/2", #"{"owner":"me"}"#),
    (.patch, "/v1/collections/X/3", #"{"owner":"me"}"#), (.delete, "/v1/collections/X/2", nil),
    (.delete, "/v1/collections/X/1", nil), (.get, "/v1/schema/X", nil),
    (.put, "/v1/schema/X", #"{"name":"X","properties":{}}"#),
    (
      .post, "/v1/transactions",
      #"{"operations":[{"op":"create","class":"X","value":{"id":11,"owner":"me"}},{"op":"delete","class":"X","id":2}]}"#
    ),
    (.get, "/v1/changes?class=X&since=0", nil),
  ]

  @Test func `a caller with rules gets the same answers of a group's class`() async throws {
    try await GroupedFixture.with { fixture, _ in
      let (administrator, member) = try await fixture.callers(under: Self.roles)
      // The same properties, and the versions of both stores alike.
      let order = GroupedFixture.city.replacing("City", with: "Order")
      #expect(
        try await fixture.send(.put, "/v1/schema/Order?destructive=true", administrator, json: order).status
          == 200)
      for name in ["City", "Order"] {
        for object in [
          #"{"id":1,"owner":"me","n":1,"next":2}"#, #"{"id":2,"owner":"other","n":2}"#,
          #"{"id":3,"owner":"me","n":30}"#,
        ] {
          let made = try await fixture.send(
            .post, "/v1/collections/\(name)?mode=modified", administrator,
            json: object.replacing(#","next":2"#, with: ""))
          #expect(made.status == 201, "\(made.text)")
        }
        let linked = try await fixture.send(
          .patch, "/v1/collections/\(name)/1", administrator, json: #"{"next":2}"#)
        #expect(linked.status == 200, "\(linked.text)")
      }
      for (method, path, content) in Self.requests {
        var answers: [String] = []
        for name in ["City", "Order"] {
          let path = path.replacing("/X", with: "/\(name)").replacing("=X", with: "=\(name)")
          let text = content?.replacing("\"X\"", with: "\"\(name)\"")
          let answer =
            if let text {
              try await fixture.send(method, path, member, json: text)
            } else {
              try await fixture.send(method, path, member)
            }
          answers.append("\(answer.status) \(answer.comparable(of: name))")
        }
        #expect(answers[0] == answers[1], "\(method) \(path)")
      }
      // The counts are those of all classes that the caller may see.
      let counts = try await fixture.send(.get, "/v1/collections", member)
      #expect(
        counts.text.contains(#""class":"City""#) && counts.text.contains(#""class":"Order""#),
        "\(counts.text)")
      for path in ["/v1/collections/Order", "/v1/groups/archive/collections", "/v1/groups/archive/changes"] {
        #expect(try await fixture.send(.get, path).status == 401)
      }
    }
  }

  @Test func `a key for classes is one for classes of groups`() async throws {
    try await GroupedFixture.with { fixture, _ in
      let made = try await fixture.send(
        .post, "/v1/keys", json: #"{"role":"read","name":"a","classes":["Order"]}"#)
      guard case .string(let key)? = try made.document["key"] else {
        Issue.record("\(made.text)")
        return
      }
      let fields = ["authorization": "Bearer \(key)"]
      #expect(try await fixture.send(.get, "/v1/collections/Order", fields).status == 200)
      #expect(
        try await fixture.send(.post, "/v1/collections/Order", fields, json: #"{"id":1}"#).status == 403)
      #expect(try await fixture.send(.get, "/v1/collections/City", fields).status == 403)
      // A key that is revoked ends the streams of groups.
      let watcher = try await fixture.watch("/v1/collections/Order", fields)
      await watcher.wait { $0.contains("event: ready") }
      for known in fixture.gateway.context.access.keys {
        _ = try await fixture.gateway.context.access.revokeKey(known.id)
      }
      await watcher.waitForEnd()
      #expect(try await fixture.send(.get, "/v1/collections/Order", fields).status == 401)
    }
  }
}

extension Answer {
  /// The answer without what differs between two stores.
  fileprivate func comparable(of name: String) -> String {
    guard var document = try? document, document["requestId"] != nil else {
      return text.replacing(name, with: "X").replacing(#/"time":"[^"]*"/#, with: "").replacing(
        #/"(version|next|position)":("[^"]*"|\d+)/#, with: ""
      ).replacing(#/\{,"n":0,,"operation":"schema"\},?/#, with: "")
    }
    document.elements.removeAll { $0.key == "requestId" }
    return String(decoding: Value.document(document).plainJSON, as: UTF8.self).replacing(name, with: "X")
  }
}
