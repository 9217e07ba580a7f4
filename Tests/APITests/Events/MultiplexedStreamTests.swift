import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

extension Fixture {
  /// Opens a multiplexed stream.
  func open(_ json: String, _ fields: [String: String] = [:]) async throws -> Watcher {
    let fields = fields.merging(["content-type": "application/json"]) { $1 }
    let response = await respond(.post, "/v1/streams", fields, Array(json.utf8))
    guard case .pushed(let source) = response.body else {
      throw Unwatchable(answer: try await Answer(response).text)
    }
    return Watcher(source, on: loop)
  }
}

extension Watcher {
  /// Everything that came, but for the name of the stream, once that version is closed.
  fileprivate func events(throughVersion version: Int64) async -> [String] {
    await wait(untilText: { $0.contains("event: version\ndata: {\"version\":\(version)}\n\n") })
    return StreamEvent.all(in: text).filter { $0.name != "stream" }.map(\.description)
  }

  fileprivate var stream: String {
    let event = StreamEvent.all(in: text).first { $0.name == "stream" }
    return String(event?.data?.dropFirst(#"{"stream":""#.count).dropLast(2) ?? "")
  }
}

@Suite struct MultiplexedStreamTests {
  private let cities = #"{"name":"cities","url":"/v1/collections/City?fields=name"}"#
  private let top =
    #"{"name":"top","url":"/v1/collections/City?mode=results&sort=-population&limit=2&fields=name"}"#
  private let name = #"{"url":"/v1/collections/Country/JP/name"}"#

  @Test func `events name their subscription, and a version closes each commit for all of them`() async throws
  {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.open("[\(cities),\(top),\(name)]")
      _ = await watcher.events(throughVersion: 3)
      _ = try await fixture.send(.patch, "/v1/collections/City/4", json: #"{"population":9000000}"#)
      _ = await watcher.events(throughVersion: 4)
      _ = try await fixture.send(.patch, "/v1/collections/Country/JP", json: #"{"name":"Nippon"}"#)
      let events = await watcher.events(throughVersion: 5)
      #expect(watcher.stream.utf8.count == 48)
      #expect(
        events == [
          #"ready {"subscription":"cities","position":"3"}"#,
          #"3 initial {"subscription":"top","version":3,"objects":[{"name":"Tokyo"},{"name":"Berlin"}]}"#,
          #"ready {"subscription":"top","position":"3"}"#,
          #"3 initial {"subscription":"2","class":"Country","id":"JP","path":"name","version":3,"value":"Japan"}"#,
          #"ready {"subscription":"2","position":"3"}"#,
          #"3 version {"version":3}"#,
          #"4-0 update {"subscription":"cities","class":"City","id":4,"version":4,"object":{"name":"Osaka"},"changed":["population"]}"#,
          #"4 update {"subscription":"top","version":4,"deletions":[1],"insertions":[0],"modifications":[],"modificationsNew":[],"inserted":[{"name":"Osaka"}],"modified":[]}"#,
          #"4 version {"version":4}"#,
          #"5-0-0 update {"subscription":"cities","class":"City","id":1,"version":5,"object":{"name":"Tokyo"},"changed":["country"]}"#,
          #"5-0-1 update {"subscription":"cities","class":"City","id":4,"version":5,"object":{"name":"Osaka"},"changed":["country"]}"#,
          #"5-0 update {"subscription":"2","class":"Country","id":"JP","path":"name","version":5,"value":"Nippon"}"#,
          #"5 update {"subscription":"top","version":5,"deletions":[],"insertions":[],"modifications":[0,1],"modificationsNew":[0,1],"inserted":[],"modified":[{"name":"Osaka"},{"name":"Tokyo"}]}"#,
          #"5 version {"version":5}"#,
        ], "\(events.joined(separator: "\n"))")
    }
  }

  @Test func `subscriptions are added and taken while a stream runs`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.open("[\(cities)]")
      _ = await watcher.events(throughVersion: 3)
      let path = "/v1/streams/\(watcher.stream)/subscriptions"
      // BSON has no array of texts.
      let binary = try await fixture.send(.post, path, ["accept": "application/bson"], json: "[\(top)]")
      #expect((binary.status, binary.code) == (406, "not_acceptable"))
      let added = try await fixture.send(.post, path, json: "[\(top)]")
      #expect((added.status, added.text) == (201, #"["top"]"#))
      await watcher.wait(untilText: { $0.contains(#""subscription":"top","position""#) })
      _ = try await fixture.send(.patch, "/v1/collections/City/3", json: #"{"population":1}"#)
      _ = await watcher.events(throughVersion: 4)
      #expect(try await fixture.send(.delete, "\(path)/cities").status == 204)
      _ = try await fixture.send(.patch, "/v1/collections/City/4", json: #"{"population":9000000}"#)
      let events = await watcher.events(throughVersion: 5)
      #expect(
        events.dropFirst(2) == [
          #"3 initial {"subscription":"top","version":3,"objects":[{"name":"Tokyo"},{"name":"Berlin"}]}"#,
          #"ready {"subscription":"top","position":"3"}"#,
          #"3 version {"version":3}"#,
          #"4-0 update {"subscription":"cities","class":"City","id":3,"version":4,"object":{"name":"Paris"},"changed":["population"]}"#,
          #"4 version {"version":4}"#,
          #"end {"subscription":"cities","reason":"unsubscribed"}"#,
          #"4 version {"version":4}"#,
          #"5 update {"subscription":"top","version":5,"deletions":[1],"insertions":[0],"modifications":[],"modificationsNew":[],"inserted":[{"name":"Osaka"}],"modified":[]}"#,
          #"5 version {"version":5}"#,
        ], "\(events.joined(separator: "\n"))")
      #expect(try await fixture.send(.delete, "\(path)/cities").code == "subscription_not_found")
      #expect(try await fixture.send(.post, path, json: "[\(top)]").code == "subscription_exists")
      #expect(
        try await fixture.send(.post, "/v1/streams/x/subscriptions", json: "[]").code == "stream_not_found")
      await watcher.leave()
      #expect(try await fixture.send(.post, path, json: "[\(top)]").code == "stream_not_found")
    }
  }

  @Test func `each subscription goes on from its own position`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      for id in 1...4 {
        _ = try await fixture.send(.patch, "/v1/collections/City/\(id)", json: #"{"population":\#(id)}"#)
      }
      let list = """
        [{"name":"a","url":"/v1/collections/City?fields=population","lastEventId":"6-0"},\
        {"name":"b","url":"/v1/collections/City?fields=population&since=4"},\
        {"name":"c","url":"/v1/collections/City?fields=name&mode=results&limit=1","lastEventId":"4"},\
        {"name":"d","url":"/v1/collections/City","lastEventId":"nonsense"}]
        """
      let watcher = try await fixture.open(list)
      let events = await watcher.events(throughVersion: 7)
      let told = events.filter { $0.contains(#""class""#) }
      let update = { (name: String, id: Int) in
        #"\#(id + 3)-0 update {"subscription":"\#(name)","class":"City","id":\#(id),"version":\#(id + 3),"object":{"population":\#(id)},"changed":["population"]}"#
      }
      #expect(told == [update("a", 4), update("b", 2), update("b", 3), update("b", 4)])
      #expect(events.contains(#"resync {"subscription":"d","reason":"position_expired","position":"7"}"#))
      // No version as long as one of them catches up.
      #expect(events.filter { $0.contains("version {") } == [#"7 version {"version":7}"#])
      #expect(events.last == #"7 version {"version":7}"#)
    }
  }

  @Test func `an EventSource opens a stream by a ticket for its subscriptions`() async throws {
    let attempt = try await IntrusionFixture()
    let list = #"[{"name":"notes","url":"/v1/collections/Note?fields=id&mode=results&sort=id"}]"#
    let made = try await attempt.send(
      Intrusion(.post, "/v1/tickets", #"{"subscriptions":\#(list)}"#), by: attempt.intruder)
    guard case .string(let ticket)? = try made.document["ticket"] else {
      Issue.record("\(made.text)")
      return
    }
    let watcher = try await attempt.fixture.watch("/v1/streams?ticket=\(ticket)")
    _ = await watcher.events(through: "version")
    #expect(
      watcher.text.contains(#""subscription":"notes","version":4,"objects":[{"id":1},{"id":3}]"#),
      "\(watcher.text)")
    // Nobody else changes it.
    let path = "/v1/streams/\(watcher.stream)/subscriptions"
    let other = try await attempt.send(Intrusion(.delete, "\(path)/notes"), by: attempt.administrator)
    #expect((other.status, other.code) == (404, "stream_not_found"))
    let own = try await attempt.send(Intrusion(.delete, "\(path)/notes"), by: attempt.intruder)
    #expect(own.status == 204)
    await attempt.fixture.remove()
  }

  @Test(arguments: [
    (#"[{"url":"/v1/collections/Note"},{"url":"/v1/collections/Vault"}]"#, 403, "forbidden", "/1/url"),
    (#"[{"url":"/v1/collections/Note?filter=("}]"#, 400, "invalid_query", "/0/url"),
    (#"[{"url":"/v1/collections/Note?mode=results&since=1"}]"#, 400, "invalid_parameter", "/0/url"),
    (#"[{"url":"/v1/streams"}]"#, 400, "malformed_json", "/0/url"),
    (#"[{"url":"/v1/collections/Note/2"}]"#, 404, "object_not_found", "/0/url"),
    (#"[{"url":"/v1/schema"}]"#, 400, "not_watchable", "/0/url"),
    (#"[{"name":"a"}]"#, 422, "invalid_content", "/0/url"),
    (#"[{"name":"","url":"/v1/collections/Note"}]"#, 422, "invalid_content", "/0/name"),
    (
      #"[{"url":"/v1/collections/Note"},{"name":"0","url":"/v1/collections/Note"}]"#, 422, "invalid_content",
      "/1/name"
    ),
    (#"[{"url":"/v1/collections/Note","x":1}]"#, 422, "invalid_content", "/0/x"),
    (#"[7]"#, 422, "invalid_content", "/0"), ("{}", 422, "invalid_content", ""),
  ])
  func `a subscription that is refused has its place`(
    json: String, status: UInt16, code: String, pointer: String
  ) async throws {
    let attempt = try await IntrusionFixture()
    let answer = try await attempt.send(Intrusion(.post, "/v1/streams", json), by: attempt.intruder)
    #expect((answer.status, answer.code) == (status, code), "\(answer.text)")
    #expect(answer.pointers == [pointer], "\(answer.text)")
    await attempt.fixture.remove()
  }

  @Test func `subscriptions count as subscribers, and give their places back`() async throws {
    var options = FeedOptions()
    options.subscribersPerClient = 4
    options.subscriptionsPerStream = 3
    try await Fixture.with(options) { fixture in
      let many = "[\(Array(repeating: #"{"url":"/v1/collections/City"}"#, count: 4).joined(separator: ","))]"
      #expect(try await fixture.send(.post, "/v1/streams", json: many).code == "invalid_content")
      let watcher = try await fixture.open("[\(cities),\(top)]")
      _ = await watcher.events(through: "version")
      let path = "/v1/streams/\(watcher.stream)/subscriptions"
      let one = #"[{"name":"x","url":"/v1/collections/City"}]"#
      let second = try await fixture.send(.post, path, json: one)
      #expect(second.status == 201, "\(second.text)")
      #expect(try await fixture.send(.post, path, json: one).code == "too_many_subscribers")
      #expect(try await fixture.send(.delete, "\(path)/x").status == 204)
      #expect(try await fixture.send(.post, path, json: one).status == 201)
      await watcher.leave()
      let next = try await fixture.open("[\(cities),\(top)]")
      _ = await next.events(through: "version")
    }
  }

  @Test func `a subscription that loses its meaning ends, and the stream goes on`() async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.open("[\(cities),{\"url\":\"/v1/collections/Note\"}]")
      _ = await watcher.events(through: "version")
      let schema = Fixture.schema.replacing(#"{"name":"Note","properties":{"text":"string?"}},"#, with: "")
      let answer = try await fixture.send(.put, "/v1/schema?destructive=true", json: schema)
      try #require(answer.status == 200, "\(answer.text)")
      await watcher.wait(untilText: { $0.contains(#"data: {"subscription":"1","reason":"schema"}"#) })
      _ = try await fixture.send(.post, "/v1/collections/City", json: #"{"_id":1,"name":"a"}"#)
      await watcher.wait(untilText: { $0.contains(#"data: {"subscription":"cities","class":"City","id":1"#) })
      #expect(watcher.end == nil)
      await watcher.leave()
    }
  }

  @Test func `a stream ends with the key of its caller`() async throws {
    let attempt = try await IntrusionFixture()
    let watcher = try await attempt.fixture.open(
      #"[{"url":"/v1/collections/Note"}]"#, attempt.intruder)
    _ = await watcher.events(through: "version")
    let access = attempt.fixture.gateway.context.access
    for key in access.keys where key.role == "member" { _ = try await access.revokeKey(key.id) }
    let events = await watcher.events(through: "end")
    #expect(events.last?.data == #"{"reason":"key_revoked"}"#)
    await attempt.fixture.remove()
  }

  @Test func `a heartbeat says of which version a quiet stream is`() async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.open("[\(cities)]")
      _ = await watcher.events(through: "version")
      _ = try await fixture.send(
        .post, "/v1/collections/Device", json: #"{"id":"00000000-0000-0000-0000-000000000001"}"#)
      await fixture.gateway.context.events.broker.multiplexes.publishCommits()
      fixture.loop.advance(seconds: 16)
      await fixture.loop.run { fixture.gateway.tick() }
      let events = await watcher.events(through: "heartbeat")
      #expect(events.last?.description == #"2 heartbeat {"version":2}"#)
      await watcher.leave()
    }
  }
}
