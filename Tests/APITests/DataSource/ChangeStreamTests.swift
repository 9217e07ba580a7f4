import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Change streams as Realm's clients open them.
@Suite struct ChangeStreamTests {
  private static func target(
    _ members: String, _ name: String = "baas_request", in collection: String = "City"
  ) -> String {
    let argument = #"{"database":"d","collection":"\#(collection)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    let json = #"{"name":"watch","arguments":[\#(argument)],"service":"mongodb-atlas"}"#
    return "/api/client/v2.0/app/a/functions/call?\(name)=\(Base64.encode(Array(json.utf8)).percentEncoded)"
  }

  private static func credential(_ fixture: Fixture) async throws -> [String: String] {
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
    return ["authorization": "Bearer \(key.text)"]
  }

  /// The data of the events, without what is another each time.
  private static func events(in text: String) throws -> [String] {
    try StreamEvent.all(in: text).compactMap(\.data).map { data in
      guard case .document(var event) = try Value(json: data) else { return data }
      event.elements.removeAll { ["_id", "clusterTime", "ns"].contains($0.key) }
      return String(decoding: Value.document(event).plainJSON, as: UTF8.self)
    }
  }

  private static let changes: [(GatehouseHTTP.Method, String, String)] = [
    (.post, "/v1/collections/City", #"{"_id":9,"name":"Bonn","location":{"latitude":50.7,"longitude":7}}"#),
    (.patch, "/v1/collections/City/9", #"{"population":5}"#),
    (.patch, "/v1/collections/Country/JP", #"{"population":5}"#),
    (.patch, "/v1/collections/City/1", #"{"name":"Edo"}"#),
    (.delete, "/v1/collections/City/9", ""),
  ]

  private static let bonn =
    #"{"_id":9,"name":"Bonn","population":0,"country":null,"location":{"latitude":50.7,"longitude":7.0},"tags":[]}"#
  private static let tokyo =
    #"{"_id":1,"name":"Edo","population":8336599,"country":"JP","location":{"latitude":35.5,"longitude":139.5},"tags":[]}"#
  private static let all = [
    #"{"operationType":"insert","documentKey":{"_id":9},"fullDocument":\#(bonn)}"#,
    #"{"operationType":"update","documentKey":{"_id":9},"fullDocument":\#(bonn.replacing("\"population\":0", with: "\"population\":5")),"updateDescription":{"updatedFields":{"population":5},"removedFields":[]}}"#,
    #"{"operationType":"update","documentKey":{"_id":1},"fullDocument":\#(tokyo),"updateDescription":{"updatedFields":{"name":"Edo"},"removedFields":[]}}"#,
    #"{"operationType":"delete","documentKey":{"_id":9}}"#,
  ]

  @Test(arguments: [
    ("", "baas_request", all), ("", "stitch_request", all),
    (#""ids":[9,"x"]"#, "baas_request", [all[0], all[1], all[3]]),
    (#""filter":{"operationType":"update"}"#, "baas_request", [all[1], all[2]]),
    (#""filter":{"fullDocument.population":{"$gt":5}}"#, "baas_request", [all[2]]),
    (#""ids":[1],"filter":{"operationType":"delete"}"#, "baas_request", []),
  ])
  func `a stream tells the changes that are asked for`(members: String, name: String, events: [String])
    async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let credential = try await Self.credential(fixture)
      let watcher = try await fixture.watch(Self.target(members, name), credential)
      await watcher.wait { $0 == ": open\n\n" }
      for (method, target, json) in Self.changes {
        let sent =
          json.isEmpty
          ? try await fixture.send(method, target, credential)
          : try await fixture.send(method, target, credential, json: json)
        try #require(sent.status < 300, "\(sent.text)")
      }
      await fixture.settle()
      #expect(try Self.events(in: watcher.text) == events)
      await watcher.leave()
    }
  }

  private static let replacements: [(GatehouseHTTP.Method, String, String, String)] = [
    (.post, DataAPITests.target("updateOne"), #""filter":{"_id":1},"update":{"name":"a"}"#, "replace"),
    (
      .post, DataAPITests.target("updateOne"), #""filter":{"_id":1},"update":{"$set":{"name":"b"}}"#, "update"
    ),
    (.post, DataAPITests.target("replaceOne"), #""filter":{"_id":1},"replacement":{"name":"c"}"#, "replace"),
    (
      .post, DataAPITests.target("updateOne"), #""filter":{"_id":1},"update":[{"$set":{"name":"d"}}]"#,
      "update"
    ),
    (.put, "/v1/collections/City/1", #"{"name":"e"}"#, "replace"),
    (.patch, "/v1/collections/City/1", #"{"name":"f"}"#, "update"),
    (.put, "/v1/collections/City/1/name", #""g""#, "update"),
    (.post, "/v1/collections/City?mode=all", #"{"_id":1,"name":"h"}"#, "update"),
    (
      .post, "/v1/transactions",
      #"{"operations":[{"op":"put","class":"City","id":1,"value":{"name":"i"}}]}"#, "replace"
    ),
    (
      .post, DataAPITests.target("aggregate"),
      #""pipeline":[{"$match":{"_id":1}},{"$set":{"name":"j"}},{"$merge":{"into":"City","whenMatched":"replace"}}]"#,
      "replace"
    ),
    (
      .post, DataAPITests.target("aggregate"),
      #""pipeline":[{"$match":{"_id":1}},{"$set":{"name":"k"}},{"$merge":"City"}]"#, "update"
    ),
  ]

  @Test func `what replaced a document is told from what updated it`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let credential = try await Self.credential(fixture)
      let watcher = try await fixture.watch(Self.target(""), credential)
      await watcher.wait { $0 == ": open\n\n" }
      for (method, target, content, _) in Self.replacements {
        let json =
          content.hasPrefix("\"") && target.hasPrefix("/app")
          ? DataAPITests.content("City", content) : content
        let sent = try await fixture.send(method, target, credential, json: json)
        try #require(sent.status < 300, "\(target) \(content) \(sent.text)")
      }
      await fixture.settle()
      let events = try Self.events(in: watcher.text)
      let kinds = events.map { String($0.dropFirst(#"{"operationType":""#.count).prefix { $0 != "\"" }) }
      #expect(kinds == Self.replacements.map(\.3))
      #expect(events.map { $0.contains("updateDescription") } == Self.replacements.map { $0.3 == "update" })
      #expect(
        events.first?.hasPrefix(
          #"{"operationType":"replace","documentKey":{"_id":1},"fullDocument":{"_id":1,"name":"a""#) == true)
      await watcher.leave()
    }
  }

  @Test func `events and changes of the gateway's own tell replacements`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let live = try await fixture.watch("/v1/collections/Country")
      _ = await live.events(through: "ready")
      _ = try await fixture.send(.put, "/v1/collections/Country/JP", json: #"{"name":"Nippon"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Country/JP", json: #"{"name":"Japan"}"#)
      let events = await live.events(4).suffix(2)
      #expect(
        events.map {
          $0.data?.contains(#""changed":["name","population","neighbours","names"],"replaced":true"#)
        }
          == [true, false])
      #expect(events.last?.data?.contains("replaced") == false)
      let back = try await fixture.watch("/v1/collections/Country?since=3")
      #expect(
        await back.events(through: "ready").filter { $0.data != nil && $0.id != nil }.prefix(2) == events)
      let changes = try await fixture.send(.get, "/v1/changes?since=3").text
      #expect(changes.split(separator: #""replaced":true"#).count == 2, "\(changes)")
    }
  }

  @Test func `a stream shows a client that it lives`() async throws {
    try await Fixture.with { fixture in
      let credential = try await Self.credential(fixture)
      let watcher = try await fixture.watch(Self.target(""), credential)
      await watcher.wait { $0 == ": open\n\n" }
      fixture.loop.advance(seconds: 16)
      await fixture.loop.run { [gateway = fixture.gateway] in gateway.tick() }
      await watcher.wait { $0 == ": open\n\n:\n\n" }
      await watcher.leave()
    }
  }

  @Test func `an event has canonical values and no percent sign of its own`() async throws {
    try await Fixture.with { fixture in
      let credential = try await Self.credential(fixture)
      let watcher = try await fixture.watch(Self.target("", in: "Device"), credential)
      await watcher.wait { $0 == ": open\n\n" }
      _ = try await fixture.send(
        .post, "/v1/collections/Device", credential,
        json: #"{"id":"00112233-4455-6677-8899-aabbccddeeff","seen":"2026-01-01T00:00:00Z"}"#)
      await fixture.settle()
      #expect(
        watcher.text.contains(
          #""fullDocument":{"_id":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}},"seen":{"$date":{"$numberLong":"1767225600000"}}}"#
        ), "\(watcher.text)")
      #expect(watcher.text.contains(#""ns":{"db":"d","coll":"Device"}"#))
      await watcher.leave()
    }
  }

  @Test func `nobody watches what they may not see`() async throws {
    let attempt = try await IntrusionFixture()
    let fields = attempt.intruder.merging(["accept": "text/event-stream"]) { $1 }
    let refused = try await attempt.fixture.send(.get, Self.target("", in: "Vault"), fields)
    #expect(
      refused.status == 403 && refused.text.contains("no rule exists for namespace 'd.Vault'"),
      "\(refused.text)")
    let watcher = try await attempt.fixture.watch(Self.target("", in: "Note"), attempt.intruder)
    await watcher.wait { $0 == ": open\n\n" }
    for (id, change) in [("1", #"{"secret":"SECRET 2"}"#), ("2", #"{"n":8}"#), ("1", #"{"n":5}"#)] {
      _ = try await attempt.fixture.send(
        .patch, "/v1/collections/Note/\(id)", attempt.administrator, json: change)
    }
    await attempt.fixture.settle()
    #expect(
      !watcher.text.contains("SECRET") && watcher.text.contains(#""n":{"$numberLong":"5"}"#),
      "\(watcher.text)")
    #expect(try Self.events(in: watcher.text).count == 1, "\(watcher.text)")
    await watcher.leave()
    await attempt.fixture.remove()
  }

  @Test(
    arguments: [
      (#""ids":5"#, 400, "InvalidParameter"), (#""filter":{"$who":1}"#, 400, "MongoDBError"),
      (#""resumeAfter":{}"#, 400, "InvalidParameter"),
      (#""filter":{"$expr":{"$eq":["$operationType","insert"]}}"#, 400, "MongoDBError"),
      (#""filter":{"$or":[{"a":1},{"$expr":true}]}"#, 400, "MongoDBError"),
    ] as [(String, UInt16, String)])
  func `a stream that cannot be is an error`(members: String, status: UInt16, code: String) async throws {
    try await Fixture.with { fixture in
      let fields = try await Self.credential(fixture).merging(["accept": "text/event-stream"]) { $1 }
      let answer = try await fixture.send(.get, Self.target(members), fields)
      #expect(answer.status == status)
      #expect(try answer.document["error_code"] == .string(code))
    }
  }
}
