import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

/// Objects at positions of the log that have passed.
@Suite struct HistoryTests {
  private static let schema = """
    [{"name":"Country","primaryKey":"code","properties":{"code":"string","name":"string","names":"string{}",\
    "cities":{"type":"linkingObjects","objectType":"City","property":"country"}}},\
    {"name":"City","primaryKey":"_id","properties":{"_id":"int","n":"int?","country":"Country?","tags":"string[]"}}]
    """
  private static let city = Identity(objectType: "City", id: .int(1))
  private static let germany = Identity(objectType: "Country", id: .string("DE"))

  @Test(arguments: Mode.allCases)
  func `an object is at each position what it was then`(mode: Mode) async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("City", #"{"_id":1,"n":1,"tags":["a","b"]}"#))
    try await store.commit(store.update("City", .int(1), #"{"n":2}"#))
    try await store.commit(
      store.setting("City", .int(1), ["tags"]) { _ in .insert([.value(.string("c"))], at: 1) })
    try await store.commit(store.setting("City", .int(1), ["tags", "0"]) { _ in .remove })
    try await store.commit(store.update("City", .int(1), #"{"n":null,"tags":["z"]}"#))
    try await store.commit(store.deletion("City", .int(1)))
    try await store.commit(store.creation("City", #"{"_id":1,"tags":["new"]}"#))
    var told: [String] = []
    try store.history(of: [Self.city], after: 1, mode) { position, states, history in
      told.append("\(position.text) \(states[0]?.text(in: history) ?? "-")")
    }
    func city(_ n: String, _ tags: String) -> String {
      #"{"_id":1,"n":\#(n),"country":null,"tags":[\#(tags)]}"#
    }
    #expect(
      told == [
        "1 -", "2-0 \(city("1", #""a","b""#))", "3-0 \(city("2", #""a","b""#))",
        "4-0 \(city("2", #""a","c","b""#))", "5-0 \(city("2", #""c","b""#))",
        "6-0 \(city("null", #""z""#))", "7-0 -", "8-0 \(city("null", #""new""#))",
      ])
  }

  @Test(arguments: Mode.allCases)
  func `links lead here as they did then`(mode: Mode) async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(
      store.creation("Country", #"{"code":"DE","name":"Germany"}"#),
      store.creation("City", #"{"_id":1,"country":"DE"}"#), store.creation("City", #"{"_id":2}"#))
    try await store.commit(store.update("City", .int(2), #"{"country":"DE"}"#))
    try await store.commit(store.update("City", .int(1), #"{"country":null}"#))
    try await store.commit(store.deletion("City", .int(2)))
    var told: [String] = []
    try store.history(of: [Self.germany], after: 1, mode) { position, states, history in
      guard let state = states[0], let link = history.layouts["City"]?.objectType.index(of: "country")
      else { return told.append(position.text) }
      let cities = history.linkingObjects("City", link, to: state).map { "\($0.id)" }
      told.append("\(position.text) \(cities.joined(separator: " "))")
    }
    let (one, two) = ("\(Mixed.int(1))", "\(Mixed.int(2))")
    // Objects come in the order in which they were made, and the country before the cities.
    #expect(
      told.suffix(4) == ["2-2 \(one)", "3-0 \(one) \(two)", "4-0 \(two)", "5-0 "], "\(told)")
    #expect(told.first == "1")
  }

  // GET answers from the rows, the past from what was replaced: what it gave then, the past must have.
  @Test(arguments: [1, 2, 3, 4] as [UInt64], Mode.allCases)
  func `whatever changes, the past is what GET showed`(seed: UInt64, mode: Mode) async throws {
    let store = try await FeedStore(Self.schema)
    var chance = SeededGenerator(seed: seed)
    let identities = (0..<4).map { Identity(objectType: "City", id: .int($0)) }
    for code in ["DE", "FR"] {
      try await store.commit(store.creation("Country", #"{"code":"\#(code)","name":"x"}"#))
    }
    let start = store.store.version
    var shown: [Int64: [String]] = [start: identities.map { _ in "-" }]
    var present: Set<Int64> = []
    for _ in 0..<80 {
      let id = Int64.random(in: 0..<4, using: &chance)
      try await store.commit(try Self.change(of: id, in: &present, store, &chance))
      shown[store.store.version] = try identities.map { try store.object($0) ?? "-" }
    }
    var compared = 0
    try store.history(of: identities, after: start, mode) { position, states, history in
      guard let expected = shown[position.version] else {
        Issue.record("\(position.text) is no commit")
        return
      }
      #expect(states.map { $0?.text(in: history) ?? "-" } == expected, "\(position.text)")
      compared += 1
    }
    // Updates that change nothing are no changes.
    #expect(compared > 40)
  }

  private static func change(
    of id: Int64, in present: inout Set<Int64>, _ store: FeedStore, _ chance: inout SeededGenerator
  ) throws -> GatehouseStorage.Operation {
    let n = Int.random(in: 0..<1_000, using: &chance)
    guard present.contains(id) else {
      present.insert(id)
      return try store.creation("City", #"{"_id":\#(id),"n":\#(n),"tags":["\#(n)","t"]}"#)
    }
    switch Int.random(in: 0..<7, using: &chance) {
    case 0:
      present.remove(id)
      return store.deletion("City", .int(id))
    case 1: return try store.update("City", .int(id), #"{"country":"\#(n % 2 == 0 ? "DE" : "FR")"}"#)
    case 2: return try store.update("City", .int(id), #"{"tags":["\#(n)"]}"#)
    case 3, 4:
      return try store.setting("City", .int(id), ["tags"]) { _ in .insert([.value(.string("\(n)"))], at: 0) }
    default: return try store.update("City", .int(id), #"{"n":\#(n)}"#)
    }
  }

  @Test func `an iterator that reaches the end goes on with what is committed later`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("City", #"{"_id":1,"n":1}"#))
    let iterator = HistoryIterator(from: LogPosition(version: 1), schema: store.store.schema, classes: nil)
    func pass() throws -> [String] {
      try store.reader.snapshot { (snapshot) throws(StorageError) -> [String] in
        try iterator.look(snapshot)
        var passed: [String] = []
        while let change = try iterator.peek(snapshot) {
          passed.append(change.position.text)
          iterator.pass(change)
        }
        return passed
      }
    }
    #expect(try pass() == ["2-0"])
    #expect(iterator.reached.text == "2")
    #expect(try pass() == [])
    try await store.commit(
      store.update("City", .int(1), #"{"n":2}"#), store.creation("City", #"{"_id":2}"#))
    #expect(try pass() == ["3-0", "3-1"])
    #expect(iterator.isCurrent(Self.city))
  }

  @Test func `an object is current again once its last change has been passed`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("City", #"{"_id":1,"n":1}"#))
    try await store.commit(store.update("City", .int(1), #"{"n":2}"#))
    let iterator = HistoryIterator(from: LogPosition(version: 1), schema: store.store.schema, classes: nil)
    try store.reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try iterator.look(snapshot)
      for isCurrent in [false, false] {
        #expect(iterator.isCurrent(Self.city) == isCurrent)
        if let change = try iterator.peek(snapshot) { iterator.pass(change) }
      }
      #expect(iterator.isCurrent(Self.city))
    }
  }

  @Test func `a state that was never kept is not followed`() async throws {
    let store = try await FeedStore(Self.schema)
    let layouts = ClassLayouts(store.store.schema)
    let layout = try #require(layouts["City"])
    var memory = ReplayMemory()
    memory.states = 4_000
    let cache = ObjectStateCache(HistoryIndex(), memory)
    #expect(cache.size == 0)
    try store.reader.snapshot { (snapshot) throws(StorageError) -> Void in
      for id in 0..<100 as Range<Int64> {
        let identity = Identity(objectType: "City", id: .int(id))
        let state = try cache.object(identity, layout, at: LogPosition(version: 1), in: snapshot) {
          (_) throws(StorageError) -> ObjectState? in nil
        }
        #expect(state == nil)
        #expect(cache.size <= 4_000 + 2 * identity.memorySize + 4 * MemoryLayout<ObjectState?>.stride)
      }
    }
    #expect(cache.size > 1_000)
    cache.budget = 100
    #expect(cache.size <= 100)
  }
}

extension FeedStore {
  /// The object as GET shows it; nil where there is none.
  fileprivate func object(_ identity: Identity) throws -> String? {
    var bytes: [UInt8] = []
    let version = try reader.object(
      identity.objectType, id: identity.id, projection: nil, as: .json, into: &bytes)
    return version == nil ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
