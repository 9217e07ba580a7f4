import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseTelemetry
import Testing

@testable import GatehouseFeeds

/// The filters that a change may concern, found without trying every one.
@Suite struct FilterIndexTests {
  private static let notation = """
    [{"name":"Country","primaryKey":"code","properties":{"code":"string","name":"string"}},\
    {"name":"City","primaryKey":"_id","properties":{"_id":"int","name":"string","n":"double","country":"Country?"}}]
    """

  private struct Fixture {
    let schema: Schema
    let layout: ClassLayout
    var index = FilterIndex()
    var names: [ObjectIdentifier: String] = [:]
    var nodes: [FilterNode] = []

    init() throws {
      schema = try Schema(notation: Value(json: FilterIndexTests.notation))
      layout = try #require(ClassLayouts(schema)["City"])
    }

    mutating func add(_ name: String, _ scope: Subscription.Scope, _ filter: String? = nil) throws {
      var subscription = Subscription(scope, filter: filter)
      subscription.keyPaths = name.contains("deep") ? nil : ""
      guard case .objects(let bound) = try subscription.bound(in: schema).target else { return }
      let node = FilterNode(bound)
      index.add(node, in: schema)
      names[ObjectIdentifier(node)] = name
      nodes.append(node)
    }

    /// Returns the names of the filters that are tried for a city, whose name may change.
    func candidates(_ id: Int64, from old: String?, to new: String?) -> [String] {
      func state(_ name: String) -> ObjectState {
        ObjectState(
          layout, id: .int(id), key: ObjectKey(id),
          image: .dictionary([
            .init(key: "_id", value: .int(id)), .init(key: "n", value: .double(1)),
            .init(key: "name", value: .string(name)),
          ]))
      }
      var found: [String] = []
      index.forEachCandidate(
        of: Identity(objectType: "City", id: .int(id)), before: old.map(state), after: new.map(state)
      ) { found.append(names[ObjectIdentifier($0)] ?? "?") }
      return found.sorted()
    }
  }

  @Test func `a filter is tried where its equality held or holds, once`() throws {
    var fixture = try Fixture()
    try fixture.add("ulm", .objectType("City"), "name == 'Ulm'")
    try fixture.add("bonn", .objectType("City"), "n > 0 AND name == 'Bonn'")
    #expect(fixture.candidates(1, from: "Ulm", to: "Bonn") == ["bonn", "ulm"])
    #expect(fixture.candidates(1, from: "Ulm", to: "Ulm") == ["ulm"])
    #expect(fixture.candidates(1, from: nil, to: "Bonn") == ["bonn"])
    #expect(fixture.candidates(1, from: "Ulm", to: nil) == ["ulm"])
    #expect(fixture.candidates(1, from: "x", to: "y") == [])
  }

  // Numbers of two types may be equal, and texts without their case: their bits say nothing.
  @Test(arguments: [
    "n == 1", "name ==[c] 'ulm'", "name != 'Ulm'", "name == 'Ulm' OR n > 3", "NOT name == 'Ulm'",
    "country.name == 'Germany'",
  ])
  func `a filter without an exact equality is always tried`(filter: String) throws {
    var fixture = try Fixture()
    try fixture.add("filter", .objectType("City"), filter)
    #expect(fixture.candidates(1, from: "a", to: "b") == ["filter"])
  }

  @Test func `a filter of one object is tried for that object`() throws {
    var fixture = try Fixture()
    try fixture.add("one", .object("City", id: .int(1)))
    try fixture.add("all", .everything)
    try fixture.add("class", .objectType("City"))
    try fixture.add("other", .objectType("Country"))
    #expect(fixture.candidates(1, from: nil, to: "x") == ["all", "class", "one"])
    #expect(fixture.candidates(2, from: nil, to: "x") == ["all", "class"])
  }

  @Test func `filters are found by the classes that links lead to`() throws {
    var fixture = try Fixture()
    try fixture.add("deep", .objectType("City"))
    try fixture.add("through", .objectType("City"), "country.name == 'Germany'")
    try fixture.add("own", .objectType("City"), "n > 1")
    let found = fixture.index.distant("Country").map { fixture.names[ObjectIdentifier($0)] ?? "?" }
    #expect(found.sorted() == ["deep", "through"])
    #expect(fixture.index.distant("City").isEmpty)
    #expect(fixture.index.watches("Country") && fixture.index.watches("City"))
  }

  @Test func `filters that others leave behind are found as before, whatever came and went`() throws {
    var random = SeededGenerator(seed: 5)
    var fixture = try Fixture()
    let filters = ["name == 'Ulm'", "name == 'Bonn'", "n > 0", "country.name == 'Germany'"]
    for number in 0..<200 { try fixture.add("\(number) own", .objectType("City"), filters[number % 4]) }
    for number in 200..<240 { try fixture.add("\(number) deep", .objectType("City")) }
    for number in 240..<280 { try fixture.add("\(number) one", .object("City", id: .int(Int64(number % 2)))) }
    for number in 280..<300 { try fixture.add("\(number) all", .everything) }
    var left = fixture.nodes.indices.shuffled(using: &random)
    while let number = left.popLast() {
      fixture.index.remove(fixture.nodes[number], in: fixture.schema)
      guard left.count % 20 == 0 else { continue }
      let expected = left.filter { $0 >= 200 ? $0 < 240 || $0 >= 280 || $0 % 2 == 1 : $0 % 4 != 1 }
      let found = fixture.candidates(1, from: nil, to: "Ulm")
      #expect(found == expected.map { fixture.names[ObjectIdentifier(fixture.nodes[$0])] ?? "?" }.sorted())
      let distant = left.filter { $0 < 200 ? $0 % 4 == 3 : $0 < 240 }
      #expect(fixture.index.distant("Country").count == distant.count)
    }
  }

  @Test func `nothing is left of filters that are removed`() throws {
    var fixture = try Fixture()
    try fixture.add("ulm", .objectType("City"), "name == 'Ulm'")
    try fixture.add("deep", .objectType("City"))
    try fixture.add("one", .object("City", id: .int(1)))
    for node in fixture.nodes { fixture.index.remove(node, in: fixture.schema) }
    #expect(fixture.candidates(1, from: "Ulm", to: "Ulm") == [])
    #expect(!fixture.index.watches("City") && !fixture.index.watches("Country"))
  }
}

/// Places for subscribers.
@Suite struct SubscriberAdmissionTests {
  @Test func `a client gets as many places as one may have, and all together as many as there are`() {
    var options = FeedOptions()
    (options.subscribers, options.subscribersPerClient) = (3, 2)
    let admission = SubscriberAdmission(options, nil)
    #expect([1, 1, 1, 2, 2].map { admission.admit($0) } == [true, true, false, true, false])
    admission.release(1)
    #expect([1, 2].map { admission.admit($0) } == [true, false])
    admission.release(2)
    admission.release(1)
    admission.release(1)
    #expect([3, 3, 3, 1, 2].map { admission.admit($0) } == [true, true, false, true, false])
  }

  @Test func `streams and events are counted`() {
    let metrics = Registry()
    let admission = SubscriberAdmission(FeedOptions(), metrics)
    for client in 1...3 as ClosedRange<UInt64> {
      #expect(admission.admit(client))
      admission.didOpen(shard: 0)
    }
    admission.didSend(5, shard: 0)
    admission.didDrop(shard: 0)
    admission.didClose(1, shard: 0)
    let lines = String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n")
    let values = lines.filter { !$0.hasPrefix("#") }.map(String.init).sorted()
    #expect(
      values == [
        "gatehouse_feed_dropped_total 1", "gatehouse_feed_events_total 5", "gatehouse_feed_subscribers 2",
      ])
  }
}
