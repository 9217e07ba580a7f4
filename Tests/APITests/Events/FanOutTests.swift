import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Changes that concern many objects through links, and streams that are not concerned.
@Suite struct FanOutTests {
  private static let schema = """
    [{"name":"Center","primaryKey":"id","properties":{"id":"int","n":"int"}},\
    {"name":"Spoke","primaryKey":"id","properties":{"id":"int","center":"Center?"}},\
    {"name":"Other","primaryKey":"id","properties":{"id":"int","n":"int"}},\
    {"name":"Bag","primaryKey":"id","properties":{"id":"int","entries":"int{}","list":"int[]"}}]
    """

  private static func populate(_ fixture: Fixture, spokes: Int) async throws {
    for name in ["Center", "Other"] {
      let answer = try await fixture.send(.post, "/v1/collections/\(name)", json: #"{"id":1,"n":0}"#)
      #expect(answer.status == 201)
    }
    let objects = (0..<spokes).map { #"{"id":\#($0),"center":1}"# }
    let answer = try await fixture.send(
      .post, "/v1/collections/Spoke", json: "[\(objects.joined(separator: ","))]")
    #expect(answer.status == 201)
  }

  private static func change(_ name: String, to number: Int, in fixture: Fixture) async throws {
    let answer = try await fixture.send(.patch, "/v1/collections/\(name)/1", json: #"{"n":\#(number)}"#)
    #expect(answer.status == 200)
  }

  @Test func `each object that a change concerns is told once, in order, and nobody reads anew`() async throws
  {
    let fixture = try await Fixture(Self.schema)
    try await Self.populate(fixture, spokes: 3_000)
    let watcher = try await fixture.watch("/v1/collections/Spoke?fields=id")
    _ = await watcher.events(through: "ready")
    for number in 1...2 { try await Self.change("Center", to: number, in: fixture) }
    await fixture.settle()
    let events = await watcher.events(6_002).dropFirst(2)
    let expected = (0..<2).flatMap { change in
      (0..<3_000).map { part in
        #"\#(5 + change)-0-\#(part) update {"class":"Spoke","id":\#(part),"version":\#(5 + change),"#
          + #""object":{"id":\#(part)},"changed":["center"]}"#
      }
    }
    #expect(events.map(\.description) == expected)
    await fixture.remove()
  }

  @Test func `what takes too long for one stream is a resync of that stream, and no other loses an event`()
    async throws
  {
    // So that whatever is looked at twice has taken too long.
    let fixture = try await Fixture(Self.schema, queryTime: 1)
    try await Self.populate(fixture, spokes: 3_000)
    let spokes = try await fixture.watch("/v1/collections/Spoke?fields=id")
    let others = try await fixture.watch("/v1/collections/Other?fields=n")
    for watcher in [spokes, others] { _ = await watcher.events(through: "ready") }
    try await Self.change("Center", to: 1, in: fixture)
    for number in 1...80 { try await Self.change("Other", to: number, in: fixture) }
    await fixture.settle()
    #expect(await others.events(82).dropFirst(2).map(\.name) == Array(repeating: "update", count: 80))
    #expect(!others.text.contains("resync"))
    let told = await spokes.events(through: "resync").dropFirst(2).map(\.data)
    #expect(told.allSatisfy { $0?.hasPrefix(#"{"reason":"unknown_events","position":""#) == true })
    // It goes on behind that.
    let count = StreamEvent.all(in: spokes.text).count
    let answer = try await fixture.send(.patch, "/v1/collections/Spoke/7", json: #"{"center":null}"#)
    #expect(answer.status == 200)
    await fixture.settle()
    let last = await spokes.events(count + 1).last
    #expect(
      last?.name == "update" && last?.data?.contains(#""object":{"id":7},"changed":["center"]"#) == true)
    await fixture.remove()
  }

  @Test func `who is far behind is told of each change of a collection what it was then`() async throws {
    let fixture = try await Fixture(Self.schema)
    let made = try await fixture.send(
      .post, "/v1/collections/Bag", json: #"{"id":1,"entries":{"a":0},"list":[0]}"#)
    #expect(made.status == 201)
    var entries = ["a": 0]
    var list = [0]
    var expected: [String] = []
    func note() {
      let texts = entries.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
      let items = list.map(String.init).joined(separator: ",")
      expected.append(#""object":{"id":1,"entries":{\#(texts.joined(separator: ","))},"list":[\#(items)]}"#)
    }
    note()
    for number in 1...120 {
      let key = ["a", "b", "c", "d"][number % 4]
      if number % 7 == 0, entries[key] != nil {
        entries[key] = nil
        _ = try await fixture.send(.delete, "/v1/collections/Bag/1/entries/\(key)")
      } else if number % 3 == 0 {
        list.append(number)
        _ = try await fixture.send(.post, "/v1/collections/Bag/1/list", json: "\(number)")
      } else if number % 11 == 0 {
        list = [number]
        _ = try await fixture.send(.patch, "/v1/collections/Bag/1", json: #"{"list":[\#(number)]}"#)
      } else {
        entries[key] = number
        _ = try await fixture.send(.put, "/v1/collections/Bag/1/entries/\(key)", json: "\(number)")
      }
      note()
    }
    let watcher = try await fixture.watch("/v1/collections/Bag?since=0")
    let told = await watcher.events(through: "ready").compactMap(\.data).compactMap { data in
      data.range(of: #""object":\{.*?\]\}"#).map { String(data[$0]) }
    }
    #expect(told == expected)
    await fixture.remove()
  }
}

extension String {
  /// Where the pattern matches first.
  fileprivate func range(of pattern: String) -> Range<String.Index>? {
    (try? Regex(pattern)).flatMap { firstMatch(of: $0)?.range }
  }
}
