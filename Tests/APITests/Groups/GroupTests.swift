import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Classes of an app in databases of their own.
@Suite struct GroupTests {
  private static let schema = "[\(GroupedFixture.city),\(GroupedFixture.order),\(GroupedFixture.line)]"

  @Test func `objects of a group's class are in its store, and clients need not know`() async throws {
    try await GroupedFixture.with { fixture, archive in
      let made = try await fixture.send(.post, "/v1/collections/Order", json: #"{"id":1,"n":3}"#)
      #expect(made.status == 201 && made.fields["location"] == "/v1/collections/Order/1", "\(made.text)")
      _ = try await fixture.send(.post, "/v1/collections/City", json: #"{"id":7}"#)
      #expect(try archive.makeReader().counts().map(\.0) == ["Line", "Order"].filter { $0 == "Order" })
      #expect(fixture.store.schema.objectTypes.map(\.name) == ["City"])
      #expect(
        try await fixture.send(.get, "/v1/collections/Order/1").text
          == #"{"id":1,"n":3,"owner":null,"next":null,"lines":[]}"#)
      #expect(try await fixture.send(.get, "/v1/collections/Order/1/n").text == "3")
      #expect(
        try await fixture.send(.get, "/v1/collections/Order?filter=n%3E2&fields=id").text == #"[{"id":1}]"#)
      #expect(
        try await fixture.send(.post, "/v1/query", json: #"{"from":"Order","fields":"n"}"#).text
          == #"[{"n":3}]"#)
      #expect(try await fixture.send(.patch, "/v1/collections/Order/1", json: #"{"n":4}"#).status == 200)
      #expect(
        try await fixture.send(.get, "/v1/collections").text
          == #"[{"class":"City","count":1},{"class":"Order","count":1}]"#)
      #expect(
        try await fixture.send(.get, "/v1/groups/archive/collections").text
          == #"[{"class":"Order","count":1}]"#)
      #expect(
        try await fixture.send(.get, "/v1/groups/main/collections").text == #"[{"class":"City","count":1}]"#)
      let listed = try await fixture.send(.get, "/v1/groups/archive/collections/Order?limit=1")
      #expect(listed.status == 200 && listed.fields["link"] == nil)
      _ = try await fixture.send(.put, "/v1/collections/Order/2", json: "{}")
      let page = try await fixture.send(.get, "/v1/groups/archive/collections/Order?limit=1")
      let link = try #require(page.fields["link"])
      #expect(link.hasPrefix("</v1/groups/archive/collections/Order?"))
      let next = try await fixture.send(.get, String(link.dropFirst().prefix { $0 != ">" }))
      #expect(next.text.hasPrefix(#"[{"id":2,"#))
      #expect(try await fixture.send(.delete, "/v1/collections/Order/1").status == 204)
      let unknown = try await fixture.send(.get, "/v1/groups/none/collections")
      #expect((unknown.status, unknown.code) == (404, "group_not_found"))
      // Keys, users and functions are the app's.
      for path in ["keys", "roles", "functions", "apps", "users/a/roles"] {
        let answer = try await fixture.send(.get, "/v1/groups/archive/\(path)")
        #expect(answer.status == 404 && answer.code == "route_not_found", "\(path)")
      }
    }
  }

  @Test func `a schema is that of all groups, and changes one at a time`() async throws {
    try await GroupedFixture.with(hasClasses: false) { fixture, archive in
      let both = try await fixture.send(.put, "/v1/schema", json: Self.schema)
      #expect((both.status, both.code) == (422, "several_groups"))
      #expect(fixture.store.schema.objectTypes.isEmpty && archive.schema.objectTypes.isEmpty)
      let first = try await fixture.send(.put, "/v1/schema", json: "[\(GroupedFixture.city)]")
      #expect(first.status == 200, "\(first.text)")
      let second = try await fixture.send(.put, "/v1/schema", json: Self.schema)
      #expect(second.status == 200, "\(second.text)")
      let read = try await fixture.send(.get, "/v1/schema")
      #expect(try Set(read.names) == ["City", "Order", "Line"])
      #expect(try second.names == ["City", "Order", "Line"])
      #expect(try await fixture.send(.put, "/v1/schema", json: read.text).status == 200)
      #expect(archive.schema.objectTypes.map(\.name) == ["Order", "Line"])
      #expect(
        try await fixture.send(.get, "/v1/groups/archive/schema").names == ["Order", "Line"])
      #expect(try await fixture.send(.get, "/v1/groups/main/schema").names == ["City"])
      // A class that is left out is one that goes, in one group as well.
      let lossy = try await fixture.send(.put, "/v1/schema", json: "[\(GroupedFixture.city)]")
      #expect((lossy.status, lossy.code) == (409, "destructive_change"))
      let gone = try await fixture.send(
        .put, "/v1/schema?destructive=true", json: "[\(GroupedFixture.city)]")
      #expect(gone.status == 200 && archive.schema.objectTypes.isEmpty)
    }
  }

  @Test(arguments: [
    ("/v1/schema/Order", #"{"name":"Order","properties":{"city":"City"}}"#, "Order.city"),
    ("/v1/schema/City", #"{"name":"City","properties":{"orders":"Order[]"}}"#, "City.orders"),
    (
      "/v1/schema/City",
      #"{"name":"City","properties":{"of":{"type":"linkingObjects","objectType":"Order","property":"x"}}}"#,
      "City.of"
    ),
    ("/v1/groups/archive/schema", #"[{"name":"Order","properties":{"city":"City"}}]"#, "Order.city"),
    (
      "/v1/schema",
      #"[{"name":"City","properties":{"a":"int"}},{"name":"Order","properties":{"city":"City"}}]"#,
      nil
    ),
  ])
  func `links between groups are refused, by the property's name`(
    path: String, content: String, place: String?
  ) async throws {
    try await GroupedFixture.with(hasClasses: false) { fixture, archive in
      let refused = try await fixture.send(.put, path, json: content)
      #expect(refused.status == 422)
      if let place {
        #expect(refused.code == "link_to_other_group", "\(refused.text)")
        let parts = place.split(separator: ".")
        #expect(refused.errors?.contains(#""class":"\#(parts[0])","property":"\#(parts[1])""#) == true)
      } else {
        #expect(refused.code == "several_groups")
      }
      #expect(fixture.store.schema.objectTypes.isEmpty && archive.schema.objectTypes.isEmpty)
    }
  }

  @Test func `no class is made in the store of another group`() async throws {
    try await GroupedFixture.with(hasClasses: false) { fixture, archive in
      for (path, type) in [
        ("/v1/groups/archive/schema/City", #"{"name":"City","properties":{"a":"int"}}"#),
        ("/v1/groups/main/schema/Order", #"{"name":"Order","properties":{"a":"int"}}"#),
      ] {
        let refused = try await fixture.send(.put, path, json: type)
        #expect((refused.status, refused.code) == (409, "class_in_other_group"), "\(path) \(refused.text)")
      }
      #expect(fixture.store.schema.objectTypes.isEmpty && archive.schema.objectTypes.isEmpty)
    }
  }

  @Test func `a class that the app's own store has as well is shown once, as its group has it`() async throws
  {
    try await GroupedFixture.with { fixture, archive in
      let both = Schema(archive.schema.objectTypes + fixture.store.schema.objectTypes)
      let names = await withTaskExecutorPreference(fixture.loop) { [gateway = fixture.gateway] in
        gateway.groups?.schema(with: (both, 1)).schema.objectTypes.map(\.name)
      }
      #expect(names?.sorted() == ["City", "Line", "Order"])
    }
  }

  @Test func `objects of a class that the app's own store has as well are counted where requests for it go`()
    async throws
  {
    try await GroupedFixture.with(isBounded: false) { fixture, archive in
      let both = Schema(fixture.store.schema.objectTypes + archive.schema.objectTypes)
      _ = try await fixture.store.apply(both, destructive: false)
      for (path, id) in [("/groups/main", 1), ("/groups/main", 2), ("", 3)] {
        let made = try await fixture.send(.post, "/v1\(path)/collections/Order", json: #"{"id":\#(id)}"#)
        #expect(made.status == 201, "\(made.text)")
      }
      #expect(try await fixture.send(.get, "/v1/collections/Order?fields=id").text == #"[{"id":3}]"#)
      for (path, orders) in [("", 1), ("/groups/archive", 1), ("/groups/main", 2)] {
        let counts = try await fixture.send(.get, "/v1\(path)/collections").text
        let city = path == "/groups/archive" ? "" : #"{"class":"City","count":0},"#
        #expect(counts == #"[\#(city){"class":"Order","count":\#(orders)}]"#)
      }
    }
  }

  @Test func `a transaction is one group's`() async throws {
    try await GroupedFixture.with { fixture, archive in
      let create = { (name: String, id: Int) in #"{"op":"create","class":"\#(name)","value":{"id":\#(id)}}"# }
      let versions = (fixture.store.version, archive.version)
      let across = try await fixture.send(
        .post, "/v1/transactions", json: #"{"operations":[\#(create("Order", 1)),\#(create("City", 1))]}"#)
      #expect((across.status, across.code) == (422, "several_groups"))
      #expect((fixture.store.version, archive.version) == versions)
      let one = try await fixture.send(
        .post, "/v1/transactions", ["idempotency-key": "\"a\""],
        json: #"{"operations":[\#(create("Order", 1)),\#(create("Order", 2))]}"#)
      #expect(one.status == 200, "\(one.text)")
      let again = try await fixture.send(
        .post, "/v1/transactions", ["idempotency-key": "\"a\""],
        json: #"{"operations":[\#(create("Order", 1)),\#(create("Order", 2))]}"#)
      #expect(again.text == one.text)
      #expect((fixture.store.version, archive.version) == (versions.0, versions.1 + 1))
    }
  }

  @Test func `a stream is of one group, whose log has its places`() async throws {
    try await GroupedFixture.with { fixture, archive in
      for path in ["/v1/collections", "/v1/changes"] {
        let answer = try await fixture.send(.get, path, ["accept": "text/event-stream, application/json"])
        if path == "/v1/changes" { #expect((answer.status, answer.code) == (422, "several_groups")) }
      }
      await #expect(throws: Fixture.Unwatchable.self) { try await fixture.stream("/v1/collections") }
      #expect(try await fixture.send(.put, "/v1/freeze").code == "several_groups")
      #expect(try await fixture.send(.put, "/v1/groups/archive/freeze").status == 200)
      let version = archive.version
      let all = try await fixture.watch("/v1/groups/archive/collections?values=true")
      let orders = try await fixture.watch("/v1/collections/Order")
      _ = try await fixture.send(.post, "/v1/collections/City", json: #"{"id":1}"#)
      _ = try await fixture.send(.post, "/v1/collections/Order", json: #"{"id":5}"#)
      for watcher in [all, orders] {
        let events = await watcher.events(through: "insert")
        #expect(events.last?.id?.hasPrefix("\(version + 1)") == true, "\(watcher.text)")
        #expect(!watcher.text.contains("City"))
        await watcher.leave()
      }
      let changes = try await fixture.send(.get, "/v1/changes?class=Order&since=0")
      #expect(changes.status == 200 && changes.text.contains(#""id":5"#), "\(changes.text)")
      #expect(
        try await fixture.send(.get, "/v1/groups/archive/changes?since=0").text.contains(#""id":5"#))
      #expect(!(try await fixture.send(.get, "/v1/groups/main/changes?since=0").text.contains("Order")))
    }
  }

  @Test func `many subscriptions of a stream, and tickets, are one group's`() async throws {
    try await GroupedFixture.with { fixture, archive in
      let (order, city) = (#"{"url":"/v1/collections/Order"}"#, #"{"url":"/v1/collections/City"}"#)
      let mixed = try await fixture.send(.post, "/v1/streams", json: "[\(order),\(city)]")
      #expect((mixed.status, mixed.code) == (422, "several_groups"))
      let watcher = try await fixture.open("[\(order)]")
      await watcher.wait { $0.contains("event: stream\n") && $0.contains("event: ready") }
      let stream = watcher.text.split(separator: #"{"stream":""#)[1].prefix { $0 != "\"" }
      let added = try await fixture.send(
        .post, "/v1/streams/\(stream)/subscriptions",
        json: #"[{"name":"big","url":"/v1/collections/Order?filter=n%3E5"}]"#)
      #expect(added.status == 201, "\(added.text)")
      let other = try await fixture.send(.post, "/v1/streams/\(stream)/subscriptions", json: "[\(city)]")
      #expect(other.code == "several_groups", "\(other.text)")
      #expect(try await fixture.send(.delete, "/v1/streams/\(stream)/subscriptions/big").status == 204)
      _ = try await fixture.send(.post, "/v1/collections/Order", json: #"{"id":5}"#)
      await watcher.wait { $0.contains("event: insert") }
      await watcher.leave()
      for (content, path) in [
        (order, "/v1/collections/Order"), (#"{"subscriptions":[\#(order)]}"#, "/v1/streams"),
      ] {
        let made = try await fixture.send(.post, "/v1/tickets", json: content)
        guard case .string(let ticket)? = try made.document["ticket"] else {
          Issue.record("\(made.text)")
          continue
        }
        let watcher = try await fixture.watch("\(path)?ticket=\(ticket)")
        await watcher.wait { $0.contains("event: ready") }
        #expect(watcher.text.contains(#""position":"\#(archive.version)""#), "\(watcher.text)")
        await watcher.leave()
      }
    }
  }

  @Test func `commands of MongoDB's language are one group's`() async throws {
    try await GroupedFixture.with { fixture, archive in
      let send = { (action: String, name: String, members: String) in
        try await fixture.send(
          .post, DataAPITests.target(action), json: DataAPITests.content(name, members))
      }
      #expect(try await send("insertOne", "Order", #""document":{"_id":4,"n":1}"#).status == 201)
      #expect(try await send("count", "Order", #""filter":{}"#).text == #"{"count":1}"#)
      #expect(try archive.makeReader().counts().map(\.1) == [1])
      let lookup = { (name: String) in
        #""pipeline":[{"$lookup":{"from":"\#(name)","localField":"_id","foreignField":"_id","as":"x"}}]"#
      }
      #expect(try await send("aggregate", "Order", lookup("Order")).status == 200)
      for pipeline in [
        lookup("City"), #""pipeline":[{"$unionWith":"City"}]"#,
        #""pipeline":[{"$facet":{"a":[{"$unionWith":{"coll":"Order","pipeline":[\#(lookup("City").dropFirst(12).dropLast(1))]}}]}}]"#,
      ] {
        let refused = try await send("aggregate", "Order", pipeline)
        #expect(refused.status == 422 && refused.text.contains("several"), "\(pipeline) \(refused.text)")
      }
    }
  }
}

extension Answer {
  /// The names of the classes of a schema.
  fileprivate var names: [String] {
    get throws {
      guard case .array(let types) = try Value(json: content) else { return [] }
      return types.compactMap {
        guard case .document(let members) = $0, case .string(let name)? = members["name"] else { return nil }
        return name
      }
    }
  }
}
