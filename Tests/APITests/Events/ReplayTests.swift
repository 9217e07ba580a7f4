import GatehouseFeeds
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage
import GatehouseTelemetry
import Testing

@testable import GatehouseAPI

/// Streams that come back from far behind, in pieces so small that every change is on the border of one.
@Suite struct ReplayTests {
  private static func options(portion: Int, queue: Int = 1 << 20) -> FeedOptions {
    var options = FeedOptions()
    options.replayChanges = portion
    options.replayMemory.states = 20
    options.queueSize = queue
    return options
  }

  private static let targets = [
    "/v1/collections?values=true", "/v1/collections/City?fields=name,country.name",
    "/v1/collections/City?filter=country.name%20!=%20'B'%20AND%20population%20%3C%2070",
    "/v1/collections/Country?fields=code,cities.name&keyPaths=cities.name",
    "/v1/collections/Country?filter=cities.@count%20%3E%201", "/v1/collections/City/3/country/name",
    "/v1/collections/Country/A/neighbours", "/v1/collections/City/2?values=true",
  ]

  // A live stream looks ahead in memory and a replay asks an index: what they tell must be the same.
  @Test(arguments: [(1, 1), (2, 2), (3, 7), (4, 512)] as [(UInt64, Int)])
  func `a replay tells what was told live`(seed: UInt64, portion: Int) async throws {
    try await Fixture.with(Self.options(portion: portion)) { fixture in
      for code in ["A", "B", "C"] {
        _ = try await fixture.send(
          .post, "/v1/collections/Country", json: #"{"code":"\#(code)","name":"\#(code)","population":3}"#)
      }
      for id in 0..<6 {
        _ = try await fixture.send(.put, "/v1/collections/City/\(id)", json: #"{"name":"x"}"#)
      }
      var live: [Watcher] = []
      for target in Self.targets { live.append(try await fixture.watch(target)) }
      for watcher in live { _ = await watcher.events(through: "ready") }
      let start = fixture.store.version
      var chance = SeededGenerator(seed: seed)
      for _ in 0..<120 {
        try await Self.change(fixture, &chance)
        if chance.next() % 4 == 0 { await fixture.settle() }
      }
      await fixture.settle()
      for (target, watcher) in zip(Self.targets, live) {
        let position = "\(target.contains("?") ? "&" : "?")since=\(start)"
        let replay = try await fixture.watch(target + position)
        let events = await replay.events(through: "ready").filter { $0.data != nil && $0.id != nil }
        let expected = StreamEvent.all(in: watcher.text).filter {
          $0.data != nil && $0.id != nil && $0.name != "initial"
        }
        #expect(events == expected, "\(target)")
        #expect(!expected.isEmpty, "\(target)")
        await replay.leave()
      }
    }
  }

  private static func change(_ fixture: Fixture, _ chance: inout SeededGenerator) async throws {
    let id = Int.random(in: 0..<6, using: &chance)
    let code = ["A", "B", "C"].randomElement(using: &chance) ?? "A"
    let other = ["A", "B", "C"].randomElement(using: &chance) ?? "B"
    let number = Int.random(in: 0..<100, using: &chance)
    let city: (GatehouseHTTP.Method, String) =
      switch Int.random(in: 0..<6, using: &chance) {
      case 0: (.put, #"{"name":"\#(number)","population":\#(number),"country":"\#(code)"}"#)
      case 1: (.patch, #"{"population":\#(number)}"#)
      case 2: (.patch, #"{"country":"\#(code)","location":{"latitude":\#(number),"longitude":1}}"#)
      case 3: (.patch, #"{"country":null,"tags":["\#(number)"]}"#)
      case 4: (.patch, #"{"name":"n\#(number)"}"#)
      default: (.delete, "")
      }
    switch Int.random(in: 0..<8, using: &chance) {
    case 0:
      _ = try await fixture.send(.patch, "/v1/collections/Country/\(code)", json: #"{"name":"\#(other)"}"#)
    case 1:
      let list = #"{"neighbours":["\#(other)","\#(code)"],"names":{"k\#(number % 3)":"\#(number)"}}"#
      _ = try await fixture.send(.patch, "/v1/collections/Country/\(code)", json: list)
    case 2:
      _ = try await fixture.send(
        .put, "/v1/collections/Country/\(code)/names/k\(number % 3)", json: #""\#(number)""#)
    case 3 where number % 4 == 0:
      _ = try await fixture.send(.delete, "/v1/collections/Country/\(code)")
      _ = try await fixture.send(
        .put, "/v1/collections/Country/\(code)", json: #"{"name":"\#(code)","population":\#(number)}"#)
    default:
      if city.1.isEmpty {
        _ = try await fixture.send(.delete, "/v1/collections/City/\(id)")
      } else {
        _ = try await fixture.send(city.0, "/v1/collections/City/\(id)", json: city.1)
      }
    }
  }

  @Test func `what is new does not wait for a replay, which says how far it is`() async throws {
    try await Fixture.with(Self.options(portion: 2, queue: 300)) { fixture in
      for number in 1...8 { try await note(fixture, number) }
      let watcher = try await fixture.watch("/v1/collections/Note?since=0&filter=text%20!=%20'3'")
      await watcher.setBusy(true)
      _ = await watcher.events(1)
      // Far more than may wait for a slow client: as events of now it would end the stream.
      for number in 9...40 { try await note(fixture, number) }
      await fixture.settle()
      #expect(watcher.end == nil)
      await watcher.setBusy(false)
      let events = await watcher.events(through: "ready")
      #expect(
        events.compactMap { $0.name == "insert" ? $0.id : nil }
          == (2...41).filter { $0 != 4 }.map { "\($0)-0" })
      let silent = try await fixture.watch("/v1/collections/Note?since=0&filter=text%20==%20'none'")
      let positions = await silent.events(through: "ready").compactMap(\.id)
      #expect(positions == stride(from: 3, through: 41, by: 2).map { "\($0)-0" } + ["41"])
    }
  }

  @Test func `those who come back to the same place share the replay`() async throws {
    let metrics = Registry()
    let fixture = try await Fixture(feeds: Self.options(portion: 4), feedMetrics: metrics)
    for number in 1...40 { try await note(fixture, number) }
    var watchers: [Watcher] = []
    for _ in 0..<8 {
      let watcher = try await fixture.watch("/v1/collections/Note?since=0")
      await watcher.setBusy(true)
      watchers.append(watcher)
    }
    for watcher in watchers { _ = await watcher.events(1) }
    for watcher in watchers { await watcher.setBusy(false) }
    for watcher in watchers {
      let ids = await watcher.events(through: "ready").compactMap { $0.name == "insert" ? $0.id : nil }
      #expect(ids == (2...41).map { "\($0)-0" })
    }
    let line = String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("gatehouse_feed_replayed_changes")
    }
    let count = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
    #expect((40...90).contains(count), "\(count)")
    await fixture.remove()
  }

  private func note(_ fixture: Fixture, _ number: Int) async throws {
    let answer = try await fixture.send(.post, "/v1/collections/Note", json: #"{"text":"\#(number)"}"#)
    try #require(answer.status == 201)
  }

  private static let before = """
    [{"name":"Item","primaryKey":"_id","properties":{"_id":"int","name":"string","count":"int?","gone":"string",\
    "part":"Part?","parts":"Part[]","mapped":{"type":"string","mapTo":"m"}}},\
    {"name":"Part","embedded":true,"properties":{"a":"string"}},\
    {"name":"Other","primaryKey":"_id","properties":{"_id":"int"}}]
    """
  private static let after = """
    [{"name":"Item","primaryKey":"_id","properties":{"_id":"int","title":"string","count":{"type":"int","default":7},\
    "gone":"int?","part":"Part?","parts":"Part[]","mapped":{"type":"string","mapTo":"m2"},\
    "level":{"type":"int","default":3},"tags":"string[]"}},\
    {"name":"Part","embedded":true,"properties":{"b":"string","c":{"type":"string","default":"new"}}},\
    {"name":"Other","primaryKey":"_id","properties":{"_id":"int"}}]
    """

  /// Two items in the first schema, then the second one, then changes in that.
  private func makeItems(_ fixture: Fixture) async throws {
    let item = #""count":null,"gone":"x","part":{"a":"p"},"parts":[{"a":"q"}],"mapped":"m""#
    for (method, path, json) in [
      (.put, "schema?destructive=true", Self.before),
      (.post, "collections/Item", #"[{"_id":1,"name":"one",\#(item)},{"_id":2,"name":"two",\#(item)}]"#),
      (.patch, "collections/Item/1", #"{"name":"uno","part":{"a":"r"}}"#),
      (.patch, "collections/Item/1", #"{"gone":"y"}"#), (.delete, "collections/Item/2", ""),
      (.put, "schema?destructive=true&rename=Item.name:title,Part.a:b", Self.after),
      (.patch, "collections/Item/1", #"{"title":"eins","level":4}"#),
    ] as [(GatehouseHTTP.Method, String, String)] {
      let answer =
        json.isEmpty
        ? try await fixture.send(method, "/v1/\(path)")
        : try await fixture.send(method, "/v1/\(path)", json: json)
      try #require(answer.status < 300, "\(answer.text)")
    }
  }

  @Test(arguments: [1, 2, 512])
  func `history is read through the schema that the reader is shown`(portion: Int) async throws {
    try await Fixture.with(Self.options(portion: portion)) { fixture in
      try await makeItems(fixture)
      func item(_ id: Int, _ title: String, _ part: String = "p", _ level: Int = 3) -> String {
        let parts = #""part":{"b":"\#(part)","c":"new"},"parts":[{"b":"q","c":"new"}],"mapped":"m""#
        return
          #"{"_id":\#(id),"title":"\#(title)","count":7,"gone":null,\#(parts),"level":\#(level),"tags":[]}"#
      }
      let now = try await fixture.send(.get, "/v1/collections/Item/1")
      #expect(now.text == item(1, "eins", "r", 4))
      let watcher = try await fixture.watch(
        "/v1/collections/Item?since=0&filter=level%20%3E%202%20AND%20title%20!=%20'none'%20AND%20count%20==%207"
      )
      let events = await watcher.events(through: "ready").filter { $0.data != nil && $0.id != nil }
      let start = #"{"class":"Item","id":"#
      #expect(
        events.map(\.description) == [
          #"3-0 insert \#(start)1,"version":3,"object":\#(item(1, "one"))}"#,
          #"3-1 insert \#(start)2,"version":3,"object":\#(item(2, "two"))}"#,
          #"4-0 update \#(start)1,"version":4,"object":\#(item(1, "uno", "r")),"changed":["title","part"]}"#,
          #"6-0 delete \#(start)2,"version":6,"reason":"deleted"}"#,
          #"8-0 update \#(start)1,"version":8,"object":\#(item(1, "eins", "r", 4)),"changed":["title","level"]}"#,
        ])
    }
  }

  @Test func `a replay goes on behind a change of the schema`() async throws {
    try await Fixture.with(Self.options(portion: 1)) { fixture in
      for number in 1...6 { try await note(fixture, number) }
      let watcher = try await fixture.watch("/v1/collections/Note?since=0")
      await watcher.setBusy(true)
      _ = await watcher.events(1)
      let added = try await fixture.send(
        .put, "/v1/schema/Extra", json: #"{"properties":{"text":{"type":"string","default":"d"}}}"#)
      try #require(added.status == 201, "\(added.text)")
      let changed = try await fixture.send(
        .put, "/v1/schema/Note", json: #"{"properties":{"text":"string?","n":{"type":"int","default":5}}}"#)
      try #require(changed.status == 200, "\(changed.text)")
      try await note(fixture, 7)
      await watcher.setBusy(false)
      let events = await watcher.events(through: "ready")
      #expect(!events.contains { $0.name == "resync" || $0.name == "end" })
      #expect(events.compactMap { $0.name == "insert" ? $0.id : nil } == (2...7).map { "\($0)-0" } + ["10-0"])
      #expect(
        events.filter { $0.name == "insert" }.dropFirst(2).allSatisfy { $0.data?.contains(#""n":5"#) == true }
      )
    }
  }
}
