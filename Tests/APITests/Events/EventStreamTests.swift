import GatehouseFeeds
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

@Suite struct EventStreamTests {
  @Test func `a class is watched from now on`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch("/v1/collections/Country")
      #expect(await watcher.events(through: "ready").map(\.description) == ["3", #"ready {"position":"3"}"#])
      _ = try await fixture.send(.post, "/v1/collections/Country", json: #"{"code":"IT","name":"Italy"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Country/IT", json: #"{"population":1}"#)
      _ = try await fixture.send(.delete, "/v1/collections/City/1")
      _ = try await fixture.send(.delete, "/v1/collections/Country/IT")
      let italy = #""code":"IT","name":"Italy","population":"#
      #expect(
        await watcher.events(5).dropFirst(2).map(\.description) == [
          #"4-0 insert {"class":"Country","id":"IT","version":4,"object":{\#(italy)null,"neighbours":[],"names":{}}}"#,
          #"5-0 update {"class":"Country","id":"IT","version":5,"object":{\#(italy)1,"neighbours":[],"names":{}},"changed":["population"]}"#,
          #"7-0 delete {"class":"Country","id":"IT","version":7,"reason":"deleted"}"#,
        ])
    }
  }

  @Test(arguments: ["", "/City", "/City/1", "/City/1/population"])
  func `an event has the time of its commit, live and afterwards`(path: String) async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let live = try await fixture.watch("/v1/collections\(path)")
      _ = await live.events(through: "ready")
      _ = try await fixture.send(.patch, "/v1/collections/City/1", json: #"{"population":5}"#)
      _ = try await fixture.send(.delete, "/v1/collections/City/1")
      await fixture.settle()
      let changes = try await fixture.send(.get, "/v1/changes?since=3").text
      let times = changes.split(separator: #""time":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
      try #require(times.count == 2)
      let told = StreamEvent.all(in: live.text).filter { $0.name == "update" || $0.name == "delete" }
      #expect(told.map(\.time) == times)
      let back = try await fixture.watch("/v1/collections\(path)?since=3")
      #expect(await back.events(through: "ready").filter { $0.data != nil && $0.id != nil } == told)
      #expect(StreamEvent.all(in: live.text).filter { $0.name == "initial" }.allSatisfy { $0.time == nil })
    }
  }

  @Test func `what is shown is what GET shows`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      for target in ["City/1", "Country/DE"] {
        let expanding = target == "City/1" ? "expand=country" : "fields=code,cities.name"
        for query in ["", "fields=name", "fields=called:name,population", expanding] {
          let watcher = try await fixture.watch("/v1/collections/\(target)?\(query)")
          _ = await watcher.events(through: "ready")
          _ = try await fixture.send(.patch, "/v1/collections/\(target)", json: #"{"population":5}"#)
          let object = try await fixture.send(.get, "/v1/collections/\(target)?\(query)").text
          #expect(await watcher.events(3).last?.data?.contains(#""object":\#(object)"#) == true)
        }
      }
    }
  }

  @Test func `what was linked then is shown, not what is linked now`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      _ = try await fixture.send(.patch, "/v1/collections/Country/JP", json: #"{"name":"Nippon"}"#)
      let watcher = try await fixture.watch(
        "/v1/collections/City?since=2&fields=country.name&filter=country.name%20==%20'Japan'&keyPaths=")
      #expect(
        await watcher.events(through: "ready").map(\.description).dropLast(2) == [
          #"3-0 insert {"class":"City","id":1,"version":3,"object":{"country":{"name":"Japan"}}}"#,
          #"3-3 insert {"class":"City","id":4,"version":3,"object":{"country":{"name":"Japan"}}}"#,
          #"4-0-0 delete {"class":"City","id":1,"version":4,"reason":"unmatched"}"#,
          #"4-0-1 delete {"class":"City","id":4,"version":4,"reason":"unmatched"}"#,
        ])
    }
  }

  @Test func `an object that begins to match is inserted, one that ceases to is deleted`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let watcher = try await fixture.watch(
        "/v1/collections/City?fields=name&filter=population%20%3E%204000000%20AND%20name%20!=%20'X'")
      _ = await watcher.events(through: "ready")
      for change in [#"{"population":5000000}"#, #"{"tags":["x"]}"#, #"{"name":"X"}"#, #"{"name":"Y"}"#] {
        _ = try await fixture.send(.patch, "/v1/collections/City/2", json: change)
      }
      _ = try await fixture.send(.delete, "/v1/collections/City/2")
      let start = #"{"class":"City","id":2,"version":"#
      #expect(
        await watcher.events(7).dropFirst(2).map(\.description) == [
          #"4-0 insert \#(start)4,"object":{"name":"Berlin"},"reason":"matched"}"#,
          #"5-0 update \#(start)5,"object":{"name":"Berlin"},"changed":["tags"]}"#,
          #"6-0 delete \#(start)6,"reason":"unmatched"}"#,
          #"7-0 insert \#(start)7,"object":{"name":"Y"},"reason":"matched"}"#,
          #"8-0 delete \#(start)8,"reason":"deleted"}"#,
        ])
    }
  }

  // An object is shown as it was, not as it is now: the values that later changes replaced are put back.
  @Test(arguments: ["0", "1", "3", "3-0", "3-3", "4", "5-0"])
  func `whoever comes back gets what lies behind the position, as it was`(since: String) async throws {
    try await Fixture.with { fixture in
      let live = try await fixture.watch("/v1/collections?since=0&values=true")
      try await fixture.populate()
      for population in 1...3 {
        _ = try await fixture.send(.patch, "/v1/collections/City/3", json: #"{"population":\#(population)}"#)
      }
      _ = try await fixture.send(.delete, "/v1/collections/City/3")
      _ = try await fixture.send(.post, "/v1/collections/City", json: #"{"_id":3,"name":"Paris"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/City/3", json: #"{"name":"Lutetia"}"#)
      await fixture.settle()
      let watcher = try await fixture.watch("/v1/collections?values=true&since=\(since)")
      let events = await watcher.events(through: "ready").filter { $0.data != nil && $0.id != nil }
      let expected = StreamEvent.all(in: live.text).filter { $0.data != nil && $0.id != nil }
      let first = since == "0" ? 0 : try #require(expected.lastIndex { $0.isUp(to: since) }) + 1
      #expect(events == Array(expected[first...]))
    }
  }

  @Test func `a position that is not known any more is answered once, then the stream lives`() async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.watch("/v1/collections/City?since=99")
      #expect(
        await watcher.events(through: "ready").map(\.description) == [
          #"resync {"reason":"position_expired","position":"1"}"#, "1", #"ready {"position":"1"}"#,
        ])
    }
  }

  // To a string's own `==` the two spellings of é are one.
  @Test func `filters that spell a name in two ways are two`() async throws {
    try await Fixture.with { fixture in
      let spellings = ["%C3%A9", "e%CC%81"]
      var watchers: [Watcher] = []
      for spelling in spellings {
        watchers.append(try await fixture.watch("/v1/collections/Note?filter=text%20==%20'\(spelling)'"))
      }
      for watcher in watchers { _ = await watcher.events(through: "ready") }
      _ = try await fixture.send(
        .post, "/v1/collections/Note", json: #"[{"text":"\#u{e9}"},{"text":"e\u0301"}]"#)
      await fixture.settle()
      for (number, watcher) in watchers.enumerated() {
        let ids = StreamEvent.all(in: watcher.text).filter { $0.name == "insert" }.compactMap(\.id)
        #expect(ids == ["2-\(number)"])
        let found = try await fixture.send(
          .get, "/v1/collections/Note?filter=text%20==%20'\(spellings[number])'")
        #expect(found.text.contains(#""_key":\#(number),"#))
      }
    }
  }

  // A browser that got 400 would never come again; one that got nothing would think that nothing had happened.
  @Test(arguments: ["garbage", "now", "0x1", "99999999999999999999", "2026-01-01T00:00:00Z"])
  func `what is no position is answered like one that is not known any more`(last: String) async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.watch("/v1/collections/City", ["last-event-id": last])
      #expect(
        await watcher.events(through: "ready").map(\.description) == [
          #"resync {"reason":"position_expired","position":"1"}"#, "1", #"ready {"position":"1"}"#,
        ])
    }
  }

  @Test func `an object must be there, unless it was known before`() async throws {
    try await Fixture.with { fixture in
      let stream = ["accept": "text/event-stream"]
      let unknown = try await fixture.send(.get, "/v1/collections/City/9", stream)
      let known = try await fixture.send(.get, "/v1/collections/City/9?since=0", stream)
      #expect((unknown.code, known.status) == ("object_not_found", 200))
    }
  }

  @Test(arguments: [
    ("/v1/collections/Nothing", "unknown_class"), ("/v1/collections/Location", "embedded_class"),
    ("/v1/collections/City?filter=x", "invalid_query"), ("/v1/collections/City?since=x", "invalid_parameter"),
    ("/v1/collections/City?limit=5", "invalid_parameter"),
    ("/v1/collections/City?values=x", "invalid_parameter"),
    ("/v1/collections/City?filter=TRUEPREDICATE%20LIMIT(1)", "invalid_parameter"),
  ])
  func `what cannot be watched is refused`(target: String, code: String) async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, target, ["accept": "text/event-stream"])
      #expect(answer.code == code)
    }
  }

  @Test func `parameters of event streams are unknown elsewhere`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(.get, "/v1/collections/City?since=0")
      #expect(answer.code == "unknown_parameter")
    }
  }

  @Test func `silence is broken by heartbeats, which say where the stream is`() async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.watch("/v1/collections/Note")
      _ = await watcher.events(through: "ready")
      try await fixture.populate()
      await fixture.settle()
      for _ in 0..<2 {
        fixture.loop.advance(seconds: 20)
        await fixture.loop.run { fixture.gateway.tick() }
      }
      #expect(
        await watcher.events(5).dropFirst(2).map(\.description) == ["3", "heartbeat {}", "heartbeat {}"])
    }
  }

  @Test func `a stream ends when it is old, or when the server stops`() async throws {
    try await Fixture.with { fixture in
      let old = try await fixture.watch("/v1/collections/City")
      _ = await old.events(through: "ready")
      fixture.loop.advance(seconds: 3_600)
      await fixture.loop.run { fixture.gateway.tick() }
      #expect(await old.events(3).last?.description == #"end {"reason":"lifetime"}"#)
      let young = try await fixture.watch("/v1/collections/City")
      _ = await young.events(through: "ready")
      await fixture.loop.run { fixture.gateway.drain() }
      #expect(await young.events(3).last?.description == #"end {"reason":"shutdown"}"#)
      #expect((old.end, young.end) == (.finished, .finished))
    }
  }

  @Test func `a slow client gets what waited in one piece, a stalled one is dropped`() async throws {
    var options = FeedOptions()
    options.queueSize = 700
    try await Fixture.with(options) { fixture in
      let (slow, stalled) = (
        try await fixture.watch("/v1/collections/Note"), try await fixture.watch("/v1/collections/Note")
      )
      for watcher in [slow, stalled] { _ = await watcher.events(through: "ready") }
      for watcher in [slow, stalled] { await watcher.setBusy(true) }
      for _ in 0..<4 { _ = try await fixture.send(.post, "/v1/collections/Note", json: "{}") }
      await fixture.settle()
      #expect(StreamEvent.all(in: slow.text).count == 2)
      await slow.setBusy(false)
      #expect(await slow.events(6).dropFirst(2).map(\.id) == ["2-0", "3-0", "4-0", "5-0"])
      for _ in 0..<6 { _ = try await fixture.send(.post, "/v1/collections/Note", json: "{}") }
      await stalled.waitForEnd()
      #expect(stalled.end == .aborted)
      #expect(await slow.events(12).last?.id == "11-0")
    }
  }

  @Test func `a change that concerns too many objects through links asks clients to read anew`() async throws
  {
    var options = FeedOptions()
    options.distantObjects = 1
    try await Fixture.with(options) { fixture in
      try await fixture.populate()
      let events = try await fixture.watch("/v1/collections/City?keyPaths=country.name")
      let results = try await fixture.watch(
        "/v1/collections/City?mode=results&fields=_id,country.name&limit=1")
      for watcher in [events, results] { _ = await watcher.events(through: "ready") }
      _ = try await fixture.send(.patch, "/v1/collections/Country/DE", json: #"{"name":"D"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Country/JP", json: #"{"name":"J"}"#)
      let told = await events.events(4).dropFirst(2).map { $0.description.prefix(60) }
      #expect(
        told == [
          #"4-0-0 update {"class":"City","id":2,"version":4,"object":{"_"#,
          #"resync {"reason":"too_many_objects","position":"5-0"}"#,
        ])
      // Commits that are told together are one event.
      await results.wait(untilText: { $0.contains(#"{"version":5"#) && $0.hasSuffix("\n\n") })
      #expect(
        StreamEvent.all(in: results.text).last { $0.data != nil }?.data
          == #"{"version":5,"deletions":[],"insertions":[],"modifications":[0],"modificationsNew":[0],"inserted":[],"modified":[{"_id":1,"country":{"name":"J"}}]}"#
      )
    }
  }

  @Test func `there are only so many streams for one client`() async throws {
    var options = FeedOptions()
    options.subscribersPerClient = 2
    try await Fixture.with(options) { fixture in
      let first = try await fixture.watch("/v1/collections/City")
      let second = try await fixture.watch("/v1/collections/City")
      let stream = ["accept": "text/event-stream"]
      #expect(try await fixture.send(.get, "/v1/collections/City", stream).code == "too_many_subscribers")
      await first.leave()
      #expect(try await fixture.send(.get, "/v1/collections/City", stream).status == 200)
      await second.leave()
    }
  }

  @Test func `a stream whose class goes ends`() async throws {
    try await Fixture.with { fixture in
      let watcher = try await fixture.watch("/v1/collections/Note")
      _ = await watcher.events(through: "ready")
      _ = try await fixture.send(.put, "/v1/schema?destructive=true", json: "[]")
      #expect(await watcher.events(3).last?.description == #"end {"reason":"schema"}"#)
    }
  }
}

extension StreamEvent {
  /// Whether the event lies at or before a position, `12` being behind all of version 12.
  fileprivate func isUp(to position: String) -> Bool {
    let own = (id ?? "").split(separator: "-").compactMap { Int($0) }
    let other = position.split(separator: "-").compactMap { Int($0) }
    return own[0] < other[0] || own[0] == other[0] && (other.count == 1 || own[1] <= other[1])
  }
}
