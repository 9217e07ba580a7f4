import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Event streams of a class that is divided among shards.
@Suite struct ShardStreamTests {
  private static let item = "/v1/collections/Item"

  /// Some objects that end what a stream has to tell: one in each shard at least.
  private static let last = 1_000..<1_060

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `each object has the same events in one store and in several, also for who was away`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    try await ShardedFixture.with(shards: .random(in: 2...5, using: &random)) { fixture, _ in
      let rule = #"{"read":"n < 3"}"#
      let (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      let caller = seed % 2 == 0 ? administrator : member
      let query = seed % 3 == 0 ? "" : "?filter=n%20%3E%3D%201"
      var watchers: [Watcher] = []
      for name in ["Item", "Plain"] {
        let watcher = try await fixture.watch("/v1/collections/\(name)\(query)", caller)
        await watcher.wait { $0.contains("event: ready\n") && $0.hasSuffix("\n\n") }
        watchers.append(watcher)
      }
      for _ in 0..<40 {
        let (method, path, content) = ShardStreamTests.write(&random)
        for name in ["Item", "Plain"] {
          _ = try await fixture.send(
            method, "/v1/collections/\(name)\(path)", administrator, json: content)
        }
      }
      for name in ["Item", "Plain"] {
        for id in Self.last {
          _ = try await fixture.send(
            .post, "/v1/collections/\(name)", administrator, json: #"{"id":\#(id),"n":1}"#)
        }
      }
      for watcher in watchers {
        await watcher.wait { text in Self.last.allSatisfy { text.contains("\"id\":\($0),") } }
        await watcher.leave()
      }
      let wanted = try ShardStreamTests.changes(StreamEvent.all(in: watchers[1].text))
      let all = StreamEvent.all(in: watchers[0].text)
      #expect(try ShardStreamTests.changes(all) == wanted, "seed \(seed)")
      // A client that was away goes on behind any of them; of the past, rules show only what they show now.
      guard caller == administrator else { return }
      let places = all.indices.filter { all[$0].id != nil }
      for place in [places[0], places.randomElement(using: &random) ?? 0] {
        let watcher = try await fixture.watch(
          "\(Self.item)\(query)", caller.merging(["last-event-id": all[place].id ?? ""]) { $1 })
        let told = Set(try ShardStreamTests.changes(Array(all[...place])).keys)
        await watcher.wait { text in
          text.contains("event: ready\n")
            && Self.last.allSatisfy { told.contains("\($0)") || text.contains("\"id\":\($0),") }
        }
        await watcher.leave()
        let events = Array(all[...place]) + StreamEvent.all(in: watcher.text)
        #expect(try ShardStreamTests.changes(events) == wanted, "seed \(seed), behind \(all[place])")
      }
    }
  }

  private static func write(_ random: inout SeededGenerator) -> (GatehouseHTTP.Method, String, String) {
    let (id, n) = (Int.random(in: 0..<9, using: &random), Int.random(in: 0...4, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return (.delete, "/\(id)", "")
    case 1, 2: return (.patch, "/\(id)", #"{"n":\#(n)}"#)
    case 3: return (.patch, "?filter=n%20%3E%203", #"{"n":1}"#)
    case 4: return (.post, "?mode=modified", #"[{"id":\#(id),"n":\#(n)},{"id":\#(id + 1),"n":\#(n)}]"#)
    default: return (.post, "", #"{"id":\#(id),"n":\#(n),"text":"a"}"#)
    }
  }

  /// The events of each object, as they came, without what is each store's own.
  private static func changes(_ events: [StreamEvent]) throws -> [String: [String]] {
    var changes: [String: [String]] = [:]
    for event in events {
      guard let name = event.name, ["insert", "update", "delete"].contains(name), let data = event.data,
        case .document(var members) = try Value(json: Array(data.utf8)), let id = members["id"]
      else { continue }
      members.elements.removeAll { ["class", "version"].contains($0.key) }
      let text = String(decoding: Value.document(members).plainJSON, as: UTF8.self)
      changes[String(decoding: id.plainJSON, as: UTF8.self), default: []].append("\(name) \(text)")
    }
    return changes
  }

  @Test(arguments: [2, 3, 10, 1_000])
  func `the logs of all shards have what one has, page by page`(limit: Int) async throws {
    var random = SeededGenerator(seed: UInt64(limit))
    try await ShardedFixture.with(shards: 3) { fixture, _ in
      let rule = #"{"read":"n < 3"}"#
      let callers = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      for _ in 0..<30 {
        let (method, path, content) = ShardStreamTests.write(&random)
        for name in ["Item", "Plain"] {
          _ = try await fixture.send(
            method, "/v1/collections/\(name)\(path)", callers.administrator, json: content)
        }
      }
      for caller in [callers.administrator, callers.member] {
        var logs: [[String: [String]]] = []
        for name in ["Item", "Plain"] {
          var log: [String: [String]] = [:]
          var path = "/v1/changes?class=\(name)&since=0&limit=\(limit)"
          var (first, times) = (true, [String]())
          for _ in 0..<200 {
            let page = try await fixture.send(.get, path, caller)
            try #require(page.status == 200, "\(path) \(page.text)")
            let document = try page.document
            guard case .array(let changes)? = document["changes"], case .string(let next)? = document["next"]
            else { break }
            for case .document(var change) in changes {
              guard let id = change["id"], id != .null else { continue }
              if case .string(let time)? = change["time"], first { times.append(time) }
              change.elements.removeAll { ["class", "version", "n", "time"].contains($0.key) }
              let text = String(decoding: Value.document(change).plainJSON, as: UTF8.self)
              log[String(decoding: id.plainJSON, as: UTF8.self), default: []].append(text)
            }
            first = false
            guard let link = page.fields["link"] else { break }
            path = String(link.dropFirst().prefix { $0 != ">" })
            #expect(path.contains(next.percentEncoded) || path.contains(next), "\(path) \(next)")
          }
          #expect(times == times.sorted())
          logs.append(log)
        }
        #expect(logs[0] == logs[1] && !logs[0].isEmpty, "limit \(limit)")
      }
      let lines = try await fixture.send(
        .get, "/v1/changes?class=Item&since=0&limit=6",
        callers.administrator.merging(["accept": "application/x-ndjson"]) { $1 })
      #expect(lines.status == 200 && lines.fields["link"] != nil, "\(lines.text)")
      for wrong in ["3-1", "1_2", "1_2_x"] {
        let refused = try await fixture.send(
          .get, "/v1/changes?class=Item&since=\(wrong)", callers.administrator)
        #expect((refused.status, refused.code) == (400, "invalid_parameter"), "\(wrong) \(refused.text)")
      }
    }
  }

  @Test func `a stream of all shards begins, beats, reads anew and ends as one`() async throws {
    try await ShardedFixture.with { fixture, shards in
      for id in 0..<6 { _ = try await fixture.send(.post, Self.item, json: #"{"id":\#(id)}"#) }
      let whole = try await fixture.watch("\(Self.item)?since=0")
      let told = await whole.events(through: "ready")
      #expect(told.count { $0.name == "insert" } == 6 && told.count { $0.name == "ready" } == 1, "\(told)")
      let position = try #require(told.last?.data?.split(separator: "\"").dropLast().last.map(String.init))
      #expect(position.split(separator: "_").count == 3, "\(position)")
      #expect(whole.text.ranges(of: "retry: ").count == 1)
      // The same position is one for `since`.
      let later = try await fixture.watch("\(Self.item)?since=\(position)")
      #expect(await later.events(through: "ready").compactMap(\.name) == ["ready"], "\(later.text)")
      for foreign in ["nothing", "3-1", "1_2", "9_9_9_9"] {
        let lost = try await fixture.watch(Self.item, ["last-event-id": foreign])
        let events = await lost.events(through: "ready")
        #expect(events.compactMap(\.name) == ["resync", "ready"], "\(foreign) \(events)")
        // No position comes before it.
        #expect(events[0].name == "resync" && events[0].data?.contains(position) == true, "\(events)")
        await lost.leave()
      }
      for wrong in ["3-1", "1_2", "9_9_9_9", "x"] {
        let refused = try await fixture.send(
          .get, "\(Self.item)?since=\(wrong)", ["accept": "text/event-stream"])
        #expect((refused.status, refused.code) == (400, "invalid_parameter"), "\(wrong)")
      }
      fixture.loop.advance(seconds: 60)
      await fixture.loop.run { fixture.gateway.tick() }
      #expect(later.text.ranges(of: "event: heartbeat").count == 1, "\(later.text)")
      // Events that wait for a slow client are told when it takes them.
      await later.setBusy(true)
      for id in 10..<20 { _ = try await fixture.send(.post, Self.item, json: #"{"id":\#(id)}"#) }
      for gateway in fixture.gateway.groups?.all ?? [] {
        await gateway.context.events.broker.publishCommits()
      }
      await fixture.loop.run {}
      await later.setBusy(false)
      await later.wait { text in (10..<20).allSatisfy { text.contains("\"id\":\($0),") } }
      let ticket = try await fixture.send(
        .post, "/v1/tickets", json: #"{"url":"\#(Self.item)?filter=n%20%3D%201"}"#)
      guard case .string(let text)? = try ticket.document["ticket"] else {
        Issue.record("\(ticket.text)")
        return
      }
      let shown = try await fixture.watch("\(Self.item)?filter=n%20%3D%201&ticket=\(text)")
      await shown.wait { $0.contains("event: ready") }
      await fixture.loop.run { fixture.gateway.drain() }
      for watcher in [whole, later, shown] {
        await watcher.waitForEnd()
        #expect(watcher.end == .finished && watcher.text.ranges(of: "event: end").count == 1)
      }
    }
  }

  @Test func `a change stream of a data source tells what happens in all shards`() async throws {
    try await ShardedFixture.with(shards: 4) { fixture, _ in
      let rule = #"{"read":true}"#
      let caller = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#
      ).administrator
      var watchers: [Watcher] = []
      for name in ["Item", "Plain"] {
        let argument = #"{"database":"d","collection":"\#(name)","filter":{"fullDocument.n":{"$gt":0}}}"#
        let json = #"{"name":"watch","arguments":[\#(argument)],"service":"mongodb-atlas"}"#
        let watcher = try await fixture.watch(
          "/api/client/v2.0/app/a/functions/call?baas_request=\(Base64.encode(Array(json.utf8)).percentEncoded)",
          caller
        )
        await watcher.wait { $0.contains(": open\n\n") }
        for id in 0..<20 {
          let made = try await fixture.send(
            .post, "/v1/collections/\(name)", caller, json: #"{"id":\#(id),"n":\#(id % 3)}"#)
          #expect(made.status == 201, "\(made.text)")
        }
        watchers.append(watcher)
      }
      var told: [[String]] = []
      for watcher in watchers {
        await watcher.wait { $0.split(separator: "event: message").count > 13 }
        await watcher.leave()
        told.append(
          try StreamEvent.all(in: watcher.text).compactMap(\.data).map { data in
            guard case .document(let event) = try Value(json: data) else { return data }
            let kept = event.elements.filter {
              ["operationType", "documentKey", "fullDocument"].contains($0.key)
            }
            return String(decoding: Value.document(Document(kept)).plainJSON, as: UTF8.self)
          }.sorted())
      }
      #expect(told[0] == told[1] && told[0].count == 13)
    }
  }
}
