import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseFeeds

/// One stream, and those of one event loop.
@Suite struct SubscriberTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  private struct Fixture {
    let store: FeedStore
    let loop = ManualLoop()
    let loopBroker: LoopBroker
    let target = TestTarget()
    let subscriber: Subscriber

    init() async throws {
      store = try await FeedStore(SubscriberTests.schema)
      loopBroker = loop.broker(EventBroker(store.store))
      subscriber = Subscriber(
        target, loopBroker: loopBroker, client: 1, silentUntil: 0, lifetime: .max, lease: StreamLease())
    }

    func deliver(_ text: String, limit: Int = 1_000_000) -> Bool {
      subscriber.deliver(EncodedEvents(Array(text.utf8)), limit: limit)
    }
  }

  private static func ready(_ version: Int64) -> String {
    "id: \(version)\n\nevent: ready\ndata: {\"position\":\"\(version)\"}\n\n"
  }

  @Test func `live events wait until everything older has been sent`() async throws {
    let fixture = try await Fixture()
    #expect(fixture.deliver("b") && fixture.deliver("c"))
    #expect(fixture.target.writes == [])
    fixture.subscriber.send(EncodedEvents(Array("a".utf8)))
    fixture.subscriber.release(at: LogPosition(version: 5))
    #expect(fixture.target.writes == ["a", Self.ready(5), "bc"])
    #expect(fixture.deliver("d"))
    #expect(fixture.target.writes.last == "d")
  }

  @Test func `a slow client gets what waits in one write`() async throws {
    let fixture = try await Fixture()
    fixture.subscriber.release(at: LogPosition(version: 1))
    _ = fixture.target.takeWrites()
    fixture.target.setBusy(true)
    #expect(fixture.deliver("a") && fixture.deliver("b"))
    #expect(!fixture.subscriber.isUpToDate && fixture.target.writes.isEmpty)
    fixture.target.setBusy(false)
    fixture.subscriber.resume()
    #expect(fixture.target.writes == ["ab"])
    #expect(fixture.subscriber.isUpToDate)
  }

  @Test func `what waits goes out in writes of 64 KiB and one piece`() async throws {
    let fixture = try await Fixture()
    for _ in 0..<5 { #expect(fixture.deliver(String(repeating: "x", count: 30_000))) }
    fixture.subscriber.release(at: LogPosition(version: 1))
    #expect(fixture.target.writes.dropFirst().map(\.utf8.count) == [90_000, 60_000])
  }

  @Test func `more than may wait is refused, and counts until it is sent`() async throws {
    let fixture = try await Fixture()
    fixture.subscriber.release(at: LogPosition(version: 1))
    fixture.target.setBusy(true)
    #expect(fixture.deliver("12345", limit: 10))
    fixture.target.setBusy(false)
    fixture.subscriber.resume()
    fixture.target.setBusy(true)
    #expect(fixture.deliver("1234567890", limit: 10))
    #expect(!fixture.deliver("1", limit: 10))
    fixture.subscriber.drop()
    #expect(fixture.target.end == .aborted)
    // An ended stream takes everything, and sends nothing.
    #expect(fixture.deliver("1", limit: 0))
    #expect(!fixture.target.text.contains("1234567890"))
  }

  @Test func `a heartbeat says where the stream is, once for each position`() async throws {
    let fixture = try await Fixture()
    fixture.subscriber.release(at: LogPosition(version: 3))
    _ = fixture.target.takeWrites()
    let heartbeat = "event: heartbeat\ndata: {}\n\n"
    for position in [3, 4, 4] as [Int64] { fixture.subscriber.beat(at: LogPosition(version: position)) }
    fixture.subscriber.beat(at: nil)
    #expect(fixture.target.takeWrites() == [heartbeat, "id: 4\n\n" + heartbeat, heartbeat, heartbeat])
    // One that lies behind the client is none.
    fixture.subscriber.beat(at: LogPosition(version: 3))
    #expect(fixture.target.takeWrites() == [heartbeat])
    fixture.target.setBusy(true)
    _ = fixture.deliver("x")
    fixture.subscriber.beat(at: LogPosition(version: 5))
    #expect(fixture.target.takeWrites() == [])
  }

  @Test func `who waits for room is told of it, or that the stream has ended`() async throws {
    let fixture = try await Fixture()
    let (subscriber, target) = (fixture.subscriber, fixture.target)
    let isFree: Bool = await withCheckedContinuation { subscriber.wait($0) }
    target.setBusy(true)
    let isFreeLater: Bool = await withCheckedContinuation { waiter in
      subscriber.wait(waiter)
      subscriber.resume()
    }
    let isThere: Bool = await withCheckedContinuation { waiter in
      subscriber.wait(waiter)
      subscriber.end()
    }
    let isBack: Bool = await withCheckedContinuation { subscriber.wait($0) }
    #expect([isFree, isFreeLater, isThere, isBack] == [true, true, false, false])
    #expect(subscriber.isEnded)
  }

  @Test func `the end has a reason, and comes once`() async throws {
    let fixture = try await Fixture()
    fixture.subscriber.finish(.lifetime)
    fixture.subscriber.finish(.shutdown)
    #expect(fixture.target.end == .finished("event: end\ndata: {\"reason\":\"lifetime\"}\n\n"))
    fixture.subscriber.release(at: LogPosition(version: 1))
    #expect(fixture.target.writes == [])
  }

  @Test func `changes of results become one while the client is slow`() async throws {
    let fixture = try await Fixture()
    func state(_ ids: String, _ version: Int64) -> ResultsState {
      ResultsState(
        ids.map { .init(id: .string(String($0)), section: .null, json: Array("\"\($0)\"".utf8)) },
        version: version, fixture.store.store.schema)
    }
    let (a, b, c) = (state("1", 1), state("12", 2), state("123", 3))
    fixture.subscriber.release(at: LogPosition(version: 1))
    _ = fixture.target.takeWrites()
    fixture.target.setBusy(true)
    for (old, new) in [(a, b), (b, c)] {
      fixture.subscriber.deliver(ResultsUpdate(from: old, to: new, touched: [], hasSections: false))
    }
    fixture.target.setBusy(false)
    fixture.subscriber.resume()
    let writes = fixture.target.takeWrites()
    #expect(writes.count == 1)
    #expect(writes.first?.contains(#""version":3,"deletions":[],"insertions":[1,2]"#) == true)
  }

  // The event loop

  @Test func `frames reach the subscribers of their group, a portion at a time`() async throws {
    let fixture = try await Fixture()
    let targets = (0..<300).map { _ in TestTarget() }
    let subscribers = targets.map {
      Subscriber(
        $0, loopBroker: fixture.loopBroker, client: 1, silentUntil: 0, lifetime: .max, lease: StreamLease())
    }
    for (number, subscriber) in subscribers.enumerated() {
      fixture.loopBroker.post([.join(subscriber, group: number < 290 ? 1 : 2)])
      subscriber.release(at: LogPosition(version: 1))
    }
    fixture.loop.run()
    for target in targets { _ = target.takeWrites() }
    func served() -> Int { targets.count { $0.writes == ["x"] } }
    fixture.loopBroker.post([.frames(EncodedEvents([0x78]), events: 1, group: 1)])
    for expected in [128, 256, 290] {
      #expect(fixture.loop.runOnce())
      #expect(served() == expected)
    }
    #expect(!fixture.loop.runOnce())
    #expect(targets[290...].allSatisfy { $0.writes.isEmpty })
  }

  @Test func `a group that ends gets what came before, and its reason`() async throws {
    let fixture = try await Fixture()
    fixture.subscriber.release(at: LogPosition(version: 1))
    _ = fixture.target.takeWrites()
    fixture.loopBroker.post([
      .join(fixture.subscriber, group: 1), .frames(EncodedEvents([0x78]), events: 1, group: 1),
      .end(group: 1, .schema), .frames(EncodedEvents([0x79]), events: 1, group: 1),
    ])
    fixture.loop.run()
    #expect(fixture.target.writes == ["x"])
    #expect(fixture.target.end == .finished("event: end\ndata: {\"reason\":\"schema\"}\n\n"))
  }

  @Test func `results begin with what is there, and are refused with a reason`() async throws {
    let fixture = try await Fixture()
    let other = TestTarget()
    let refused = Subscriber(
      other, loopBroker: fixture.loopBroker, client: 1, silentUntil: 0, lifetime: .max, lease: StreamLease())
    fixture.loopBroker.post([
      .begin(fixture.subscriber, group: 1, EncodedEvents([0x78]), LogPosition(version: 4)),
      .refuse(refused, group: 2),
    ])
    fixture.loop.run()
    #expect(fixture.target.writes == ["x", Self.ready(4)])
    #expect(other.end == .finished("event: end\ndata: {\"reason\":\"schema\"}\n\n"))
  }
}

/// Streams of an event broker, from the commit to the write.
@Suite struct EventBrokerTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  @Test func `a commit reaches who is live, and who comes back gets the same`() async throws {
    let store = try await FeedStore(Self.schema)
    let broker = EventBroker(store.store)
    let (loop, live, back) = (QueueLoop(), TestTarget(), TestTarget())
    let loopBroker = loop.broker(broker)
    #expect(broker.admit(1) && broker.admit(1))
    let subscription = Subscription(.objectType("Note"), filter: "text != 'no'")
    _ = await loop.run { loopBroker.open(subscription, from: .fresh, into: live, client: 1) }
    await live.wait(for: "ready")
    #expect(
      live.text
        == "retry: 2000\n\nid: 1\n\nevent: ready\ndata: {\"position\":\"1\"}\n\n")
    _ = live.takeWrites()
    try await store.commit(store.creation("Note", #"{"_id":1,"text":"a"}"#))
    try await store.commit(store.creation("Note", #"{"_id":2,"text":"no"}"#))
    try await store.commit(store.update("Note", .int(1), #"{"text":"b"}"#))
    await live.wait(for: "update")
    let start = LogPosition(version: 1)
    _ = await loop.run {
      loopBroker.open(subscription, from: .after(EventPosition(start)), into: back, client: 1)
    }
    await back.wait(for: "ready")
    #expect(back.text == "retry: 2000\n\n" + live.text + SubscriberReady.text(4))
    #expect(live.text.split(separator: "\n\n").count == 2)
    await loop.run { loopBroker.drain() }
    await live.waitForEnd()
    #expect(live.end == .finished("event: end\ndata: {\"reason\":\"shutdown\"}\n\n"))
    #expect(back.end == live.end)
  }

  @Test func `nobody is told of commits where the only subscription has no meaning`() async throws {
    let store = try await FeedStore(Self.schema)
    let broker = EventBroker(store.store)
    let (loop, target) = (QueueLoop(), TestTarget())
    let loopBroker = loop.broker(broker)
    #expect(broker.admit(1))
    _ = await loop.run {
      loopBroker.open(Subscription(.objectType("None")), from: .fresh, into: target, client: 1)
    }
    await target.waitForEnd()
    #expect(target.end == .finished("event: end\ndata: {\"reason\":\"schema\"}\n\n"))
    let isAwake = broker.rounds.isAwake
    #expect(!isAwake)
  }

  @Test func `streams end with their owner, their deadline and their lifetime`() async throws {
    let store = try await FeedStore(Self.schema)
    var options = FeedOptions()
    options.lifetime = 1_000_000_000_000
    let broker = EventBroker(store.store, options: options)
    let loop = QueueLoop()
    let loopBroker = loop.broker(broker)
    let targets = (0..<3).map { _ in TestTarget() }
    let owner = StreamLease.Owner("session")
    let soon = EndReason(rawValue: "token_expired")
    let leases = [
      StreamLease(owners: [owner]), StreamLease(deadline: (time: 1_010_000_000_000, reason: soon)),
      StreamLease(),
    ]
    for (target, lease) in zip(targets, leases) {
      #expect(broker.admit(1))
      _ = await loop.run {
        loopBroker.open(Subscription(.everything), from: .fresh, into: target, client: 1, lease: lease)
      }
      await target.wait(for: "ready")
    }
    let reason = EndReason(rawValue: "session_ended")
    await loop.run { loopBroker.end(owner, reason) }
    #expect(targets.map { $0.end == nil } == [false, true, true])
    loop.advance(seconds: 20)
    await loop.run { loopBroker.tick() }
    #expect(targets.map { $0.end == nil } == [false, false, true])
    #expect(targets[2].text.hasSuffix("event: heartbeat\ndata: {}\n\n"))
    loop.advance(seconds: 1_000)
    await loop.run { loopBroker.tick() }
    let ends = ["session_ended", "token_expired", "lifetime"]
    #expect(targets.map(\.end) == ends.map { .finished("event: end\ndata: {\"reason\":\"\($0)\"}\n\n") })
  }

  @Test func `results begin with their objects, and are told where they change`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("Note", #"{"_id":1,"text":"b"}"#))
    let broker = EventBroker(store.store)
    let (loop, target) = (QueueLoop(), TestTarget())
    let loopBroker = loop.broker(broker)
    #expect(broker.admit(1))
    var subscription = Subscription(.objectType("Note"))
    subscription.results = .init(sort: "text", limit: 2)
    _ = await loop.run { [subscription] in
      loopBroker.open(subscription, from: .fresh, into: target, client: 1)
    }
    await target.wait(for: "ready")
    #expect(
      target.text.contains(
        "id: 2\nevent: initial\ndata: {\"version\":2,\"objects\":[{\"_id\":1,\"text\":\"b\"}]}\n\n"))
    try await store.commit(store.creation("Note", #"{"_id":2,"text":"a"}"#))
    await target.wait(for: "update")
    let lines = EncodedEvents(Array(target.text.utf8)).lines
    #expect(
      lines.last
        == #"3 update {"version":3,"deletions":[],"insertions":[0],"modifications":[],"modificationsNew":[],"#
        + #""inserted":[{"_id":2,"text":"a"}],"modified":[]}"#)
  }
}

private enum SubscriberReady {
  static func text(_ version: Int64) -> String {
    "id: \(version)\n\nevent: ready\ndata: {\"position\":\"\(version)\"}\n\n"
  }
}
