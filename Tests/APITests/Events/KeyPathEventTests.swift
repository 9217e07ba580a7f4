import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Realm's rules for key paths (`keyPaths`), on chains of people of whom each knows the next.
@Suite struct KeyPathEventTests {
  private static let schema = """
    [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","age":"int","next":"Person",\
    "friends":"Person[]","home":"Home","town":"Town",\
    "knownBy":{"type":"linkingObjects","objectType":"Person","property":"next"}}},\
    {"name":"Town","primaryKey":"name","properties":{"name":"string","size":"int",\
    "people":{"type":"linkingObjects","objectType":"Person","property":"town"}}},\
    {"name":"Home","embedded":true,"properties":{"street":"string","town":"Town"}}]
    """

  /// Opens streams over a chain of six people, of whom each knows the next, and the last lives in a town.
  private func watch(
    _ targets: [String], _ body: (Fixture, [Watcher]) async throws -> Void
  ) async throws {
    try await Fixture.with(Self.schema) { fixture in
      _ = try await fixture.send(
        .post, "/v1/collections/Town", json: #"[{"name":"Ulm","size":1},{"name":"Bonn","size":2}]"#)
      for id in (0..<6).reversed() {
        let next = id < 5 ? "\(id + 1)" : "null"
        _ = try await fixture.send(
          .post, "/v1/collections/Person",
          json:
            #"{"_id":\#(id),"name":"P\#(id)","age":\#(id),"next":\#(next),"town":\#(id == 5 ? "\"Ulm\"" : "null")}"#
        )
      }
      var watchers: [Watcher] = []
      for target in targets {
        let watcher = try await fixture.watch(target)
        _ = await watcher.events(through: "ready")
        watchers.append(watcher)
      }
      try await body(fixture, watchers)
    }
  }

  /// Returns each event of a stream after `ready`: id, name and object, with the changed properties.
  private func told(_ watcher: Watcher, _ fixture: Fixture) async -> [String] {
    await fixture.settle()
    return StreamEvent.all(in: watcher.text).drop { $0.name != "ready" }.dropFirst().map { event in
      let data = event.data ?? ""
      let id = data.split(separator: "\"id\":").last?.split(separator: ",").first ?? ""
      let changed = data.split(separator: "\"changed\":").dropFirst().last.map { " \($0.dropLast())" } ?? ""
      let reason = data.split(separator: "\"reason\":").dropFirst().last.map { " \($0.dropLast())" } ?? ""
      return "\(event.id ?? "") \(event.name ?? "") \(id)\(changed)\(reason)"
    }
  }

  @Test func `where nothing is said, what lies three links away counts`() async throws {
    try await watch(["/v1/collections/Person?fields=name", "/v1/collections/Person/4?fields=name"]) {
      fixture, watchers in
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"age":50}"#)
      #expect(
        await told(watchers[0], fixture) == [
          #"9-0-0 update 2 ["next"]"#, #"9-0-1 update 3 ["next"]"#, #"9-0-2 update 4 ["next"]"#,
          #"9-0 update 5 ["age"]"#,
        ])
      #expect(await told(watchers[1], fixture) == [])
    }
  }

  @Test func `only what the key paths name counts, without a limit of depth, each prefix of them too`()
    async throws
  {
    let paths = ["name", "next.next.next.next.age", "next.age,name", "", "town.size"]
    try await watch(paths.map { "/v1/collections/Person?fields=name&keyPaths=\($0)" }) { fixture, watchers in
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"age":50}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"name":"X"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Person/2", json: #"{"next":5}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Town/Ulm", json: #"{"size":9}"#)
      _ = try await fixture.send(.delete, "/v1/collections/Person/0")
      let deleted = #"13-0 delete 0 "deleted""#
      #expect(await told(watchers[0], fixture) == [#"10-0 update 5 ["name"]"#, deleted])
      #expect(
        await told(watchers[1], fixture) == [
          #"9-0-0 update 1 ["next"]"#, #"11-0-0 update 0 ["next"]"#, #"11-0-1 update 1 ["next"]"#,
          #"11-0 update 2 ["next"]"#, deleted,
        ])
      #expect(
        await told(watchers[2], fixture) == [
          #"9-0-0 update 4 ["next"]"#, #"10-0 update 5 ["name"]"#, #"11-0 update 2 ["next"]"#, deleted,
        ])
      #expect(await told(watchers[3], fixture) == [deleted])
      #expect(await told(watchers[4], fixture) == [#"12-0-0 update 5 ["town"]"#, deleted])
    }
  }

  @Test func `key paths lead to linking objects, whose links count as well`() async throws {
    try await watch([
      "/v1/collections/Town?keyPaths=people.name&fields=name", "/v1/collections/Town?fields=name",
      "/v1/collections/Town/Ulm?keyPaths=people&fields=name",
    ]) { fixture, watchers in
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"name":"X"}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"age":7}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"town":"Bonn"}"#)
      _ = try await fixture.send(
        .post, "/v1/collections/Person", json: #"{"_id":9,"name":"N","age":1,"town":"Ulm"}"#)
      #expect(
        await told(watchers[0], fixture) == [
          #"9-0-0 update "Ulm" ["people"]"#, #"11-0-0 update "Bonn" ["people"]"#,
          #"11-0-1 update "Ulm" ["people"]"#, #"12-0-0 update "Ulm" ["people"]"#,
        ])
      #expect(await told(watchers[1], fixture) == [])
      #expect(
        await told(watchers[2], fixture) == [
          #"11-0-0 update "Ulm" ["people"]"#, #"12-0-0 update "Ulm" ["people"]"#,
        ])
    }
  }

  @Test func `a filter through links is exact when only the linked object changes`() async throws {
    let filters = [
      "town.size%20%3E%205", "home.town.size%20%3E%205",
      "SUBQUERY(knownBy,%20$p,%20$p.age%20%3E%205).@count%20%3E%200",
    ]
    try await watch(filters.map { "/v1/collections/Person?fields=name&keyPaths=name&filter=\($0)" }) {
      fixture, watchers in
      _ = try await fixture.send(
        .patch, "/v1/collections/Person/3", json: #"{"home":{"street":"S","town":"Ulm"}}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Town/Ulm", json: #"{"size":9}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Town/Ulm", json: #"{"size":10}"#)
      _ = try await fixture.send(.delete, "/v1/collections/Town/Ulm")
      _ = try await fixture.send(.patch, "/v1/collections/Person/2", json: #"{"age":9}"#)
      _ = try await fixture.send(.delete, "/v1/collections/Person/2")
      #expect(
        await told(watchers[0], fixture) == [#"10-0-0 insert 5 "matched""#, #"12-0-0 delete 5 "unmatched""#])
      #expect(
        await told(watchers[1], fixture) == [#"10-0-0 insert 3 "matched""#, #"12-0-0 delete 3 "unmatched""#])
      #expect(
        await told(watchers[2], fixture) == [#"13-0-0 insert 3 "matched""#, #"14-0-0 delete 3 "unmatched""#])
    }
  }

  @Test func `whoever comes back within a change gets the rest of it`() async throws {
    try await watch(["/v1/collections/Person?fields=name"]) { fixture, watchers in
      _ = try await fixture.send(.patch, "/v1/collections/Person/5", json: #"{"age":50}"#)
      _ = try await fixture.send(.patch, "/v1/collections/Town/Ulm", json: #"{"size":9}"#)
      await fixture.settle()
      let all = StreamEvent.all(in: watchers[0].text).filter { $0.data != nil && $0.id != nil }
      #expect(all.map(\.id) == ["9-0-0", "9-0-1", "9-0-2", "9-0", "10-0-0", "10-0-1", "10-0-2"])
      for (index, event) in all.enumerated() {
        let again = try await fixture.watch(
          "/v1/collections/Person?fields=name&since=0", ["last-event-id": event.id ?? ""])
        let rest = await again.events(through: "ready").filter { $0.data != nil && $0.id != nil }
        #expect(rest == Array(all[(index + 1)...]))
      }
    }
  }

  @Test(arguments: ["x", "name,", "next.x", "name.x", "home.town.x", "next..name"])
  func `key paths that lead nowhere are refused`(paths: String) async throws {
    try await Fixture.with(Self.schema) { fixture in
      let answer = try await fixture.send(
        .get, "/v1/collections/Person?keyPaths=\(paths)", ["accept": "text/event-stream"])
      #expect((answer.status, answer.code) == (400, "invalid_parameter"))
    }
  }
}
