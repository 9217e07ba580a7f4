import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

// Events that a stream shows, and the audit events that are stored before.

private let schema = """
  [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","dog":"Dog","dogs":"Dog[]"}},\
  {"name":"Dog","primaryKey":"_id","properties":{"_id":"int","name":"string"}}]
  """

private let rex = #"{"_id":1,"name":"Rex"}"#
private let max = #"{"_id":1,"name":"Max"}"#
private let fido = #"{"_id":2,"name":"Fido"}"#
private let ann = #"{"_id":1,"dog":1,"dogs":[1,2],"name":"Ann"}"#

private func read(_ type: String, _ objects: String...) -> String {
  #"read {"type":"\#(type)","value":[\#(objects.joined(separator: ","))]}"#
}

/// A dog is renamed to Max, of which nobody is told but those who watch.
private let rename = (GatehouseHTTP.Method.patch, "/v1/collections/Dog/1", #"{"name":"Max"}"#)

/// A stream, how many frames come after the write, and what is stored of them.
struct WatchedRead: Sendable {
  let target: String
  let frames: Int
  let events: [String]
}

@Suite struct AuditStreamTests {
  private static func populated(
    _ audit: Auditing = Auditing(), _ body: (Fixture) async throws -> Void
  ) async throws {
    try await Fixture.with(audit, nil) { fixture in
      _ = try await fixture.store.apply(Schema(notation: Value(json: schema)), destructive: false)
      for (name, objects) in [("Dog", "[\(rex),\(fido)]"), ("Person", "[\(ann)]")] {
        let answer = try await fixture.send(.post, "/v1/collections/\(name)", json: objects)
        try #require(answer.status == 201, "\(answer.text)")
      }
      try await body(fixture)
    }
  }

  @Test(arguments: [
    WatchedRead(target: "/v1/collections/Dog", frames: 1, events: [read("Dog", max)]),
    WatchedRead(target: "/v1/collections/Dog?fields=_id", frames: 1, events: [read("Dog", max)]),
    WatchedRead(target: "/v1/collections", frames: 1, events: [read("Dog", max)]),
    WatchedRead(target: "/v1/collections/Dog/1", frames: 1, events: [read("Dog", max)]),
    WatchedRead(
      target: "/v1/collections/Dog?values=true", frames: 1, events: [read("Dog", rex), read("Dog", max)]),
    // That an object is gone is all that is told of it.
    WatchedRead(target: "/v1/collections/Dog?filter=name=='Rex'", frames: 1, events: []),
    WatchedRead(
      target: "/v1/collections/Dog?mode=results", frames: 1,
      events: [read("Dog", rex, fido), read("Dog", max)]),
    WatchedRead(
      target: "/v1/collections/Dog?mode=results&sort=name&sectionBy=name", frames: 1,
      events: [read("Dog", rex, fido), read("Dog", max)]),
    WatchedRead(
      target: "/v1/collections/Person?expand=dog", frames: 1,
      events: [
        read("Person", #"{"_id":1,"dog":\#(max),"dogs":[1,2],"name":"Ann"}"#), read("Dog", max),
      ]),
    WatchedRead(
      target: "/v1/collections/Person?mode=results&expand=dog", frames: 1,
      events: [
        read("Person", #"{"_id":1,"dog":\#(rex),"dogs":[1,2],"name":"Ann"}"#), read("Dog", rex),
        read("Person", #"{"_id":1,"dog":\#(max),"dogs":[1,2],"name":"Ann"}"#), read("Dog", max),
      ]),
    WatchedRead(
      target: "/v1/collections/Dog/1/name", frames: 1, events: [read("Dog", rex), read("Dog", max)]),
    WatchedRead(
      target: "/v1/collections/Person/1/dog/name", frames: 1,
      events: [
        read("Person", #"{"_id":1,"dog":\#(rex),"dogs":[1,2],"name":"Ann"}"#), read("Dog", rex),
        read("Person", #"{"_id":1,"dog":\#(max),"dogs":[1,2],"name":"Ann"}"#), read("Dog", max),
      ]),
    WatchedRead(
      target: "/v1/collections/Person/1/dogs?fields=name&keyPaths=name", frames: 1,
      events: [
        read("Person", #"{"_id":1,"dog":1,"dogs":[\#(rex),\#(fido)],"name":"Ann"}"#), read("Dog", rex),
        read("Dog", fido),
        read("Person", #"{"_id":1,"dog":1,"dogs":[\#(max),\#(fido)],"name":"Ann"}"#), read("Dog", max),
      ]),
  ])
  func `what a stream shows is stored as it is shown`(watched: WatchedRead) async throws {
    try await Self.populated { fixture in
      let watcher = try await fixture.watch(watched.target, ["audit-activity": "watch"])
      let before = await watcher.events(through: "ready").count
      let answer = try await fixture.send(rename.0, rename.1, json: rename.2)
      #expect(answer.status == 200)
      _ = await watcher.events(before + watched.frames)
      #expect(
        try await fixture.trail("activity,event,data") == watched.events.map { "watch \($0)" },
        "\(watcher.text)")
    }
  }

  @Test func `an event that is told late shows and stores the object as it was then`() async throws {
    try await Self.populated { fixture in
      _ = try await fixture.send(rename.0, rename.1, json: rename.2)
      _ = try await fixture.send(.delete, "/v1/collections/Dog/1")
      let watcher = try await fixture.watch("/v1/collections/Dog?since=0", ["audit-activity": "late"])
      _ = await watcher.events(through: "ready")
      #expect(
        try await fixture.trail("activity,event,data") == [
          "late \(read("Dog", rex))", "late \(read("Dog", fido))", "late \(read("Dog", max))",
        ])
    }
  }

  @Test func `a scope that a stream joins has what it shows`() async throws {
    try await Self.populated { fixture in
      let scope = try await fixture.begin("look")
      let watcher = try await fixture.watch("/v1/collections/Dog", ["audit-scope": scope])
      let before = await watcher.events(through: "ready").count
      _ = try await fixture.send(rename.0, rename.1, json: rename.2)
      _ = await watcher.events(before + 1)
      #expect(try await fixture.trail() == [])
      #expect(try await fixture.end(scope) == 204)
      #expect(try await fixture.trail("activity,event,data") == ["look \(read("Dog", max))"])
    }
  }

  @Test func `where a class is not recorded, links to it show what was seen by following them`() async throws
  {
    let policy = Policy(always: ["Person": .read])
    try await Self.populated(Auditing(policy)) { fixture in
      let full = read("Person", #"{"_id":1,"dog":\#(rex),"dogs":[1,2],"name":"Ann"}"#)
      for target in ["/v1/collections/Person?expand=dog", "/v1/collections/Person/1?expand=dog"] {
        let before = try await fixture.trail().count
        _ = try await fixture.send(.get, target)
        #expect(try await fixture.trail("event,data").dropFirst(before) == [full])
      }
      let before = try await fixture.trail().count
      _ = try await fixture.send(.get, "/v1/collections/Dog")
      #expect(try await fixture.trail().count == before)
    }
  }

  @Test func `of a long export each piece is stored before it is sent`() async throws {
    try await Self.populated(Auditing(Policy(always: ["Dog": .read]))) { fixture in
      let name = String(repeating: "x", count: 700_000)
      let objects = (3...5).map { #"{"_id":\#($0),"name":"\#(name)"}"# }
      _ = try await fixture.send(.post, "/v1/collections/Dog", json: "[\(objects.joined(separator: ","))]")
      let answer = try await fixture.send(
        .get, "/v1/collections/Dog", ["accept": "application/x-ndjson"])
      #expect(answer.text.split(separator: "\n").count == 5)
      let stored = try await fixture.trail("event,data")
      let ids = stored.flatMap { $0.matches(of: /"_id":([0-9])/).map { String($0.1) } }
      #expect((stored.count > 1, ids) == (true, ["1", "2", "3", "4", "5"]))
    }
  }

  @Test func `what cannot be stored is not shown`() async throws {
    try await Self.populated { fixture in
      let watcher = try await fixture.watch("/v1/collections/Dog", ["audit-activity": "watch"])
      _ = await watcher.events(through: "ready")
      // Somebody else's class takes the place of the trail.
      var types = fixture.store.schema.objectTypes.filter { $0.name != "AuditEvent" }
      let id = Property(name: "_id", type: .one(.int, optional: false))
      types.append(ObjectType(name: "AuditEvent", properties: [id], primaryKey: "_id"))
      _ = try await fixture.store.apply(Schema(types), destructive: true, privileged: true)
      _ = try await fixture.send(rename.0, rename.1, json: rename.2)
      await watcher.waitForEnd()
      #expect((watcher.end, watcher.text.contains("Max")) == (.aborted, false))
    }
  }
}
