import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

/// Events for somebody who sees the notes of a folder of theirs, and the tags that are theirs.
@Suite struct VisibleEventTests {
  private static let schema = """
    [{"name":"Folder","primaryKey":"id","properties":{"id":"int","owner":"string"}},\
    {"name":"Tag","primaryKey":"id","properties":{"id":"int","owner":"string"}},\
    {"name":"Note","primaryKey":"id","properties":{"id":"int","folder":"Folder?","tag":"Tag?","pin":"int?"}}]
    """

  private static func rules(_ owner: String = "me") -> SubscriptionRules {
    func rule(_ filter: String, hidden: Set<String> = []) -> SubscriptionRules.ClassRule {
      SubscriptionRules.ClassRule(
        condition: SubscriptionRules.Condition(filter: filter, arguments: [.string(owner)]), hidden: hidden)
    }
    return SubscriptionRules([
      "Folder": rule("owner == $0"), "Tag": rule("owner == $0"),
      "Note": rule("folder.owner == $0", hidden: ["pin"]),
    ])
  }

  /// Version 2: note 1 is in a folder of theirs and has a tag that is not.
  private static func filled() async throws -> FeedStore {
    let store = try await FeedStore(schema)
    try await store.commit(
      store.creation("Folder", #"{"id":7,"owner":"me"}"#), store.creation("Tag", #"{"id":8,"owner":"you"}"#),
      store.creation("Tag", #"{"id":9,"owner":"you"}"#),
      store.creation("Note", #"{"id":1,"folder":7,"tag":8,"pin":5}"#))
    return store
  }

  private static func lines(_ store: FeedStore, _ mode: Mode, after version: Int64 = 2) throws -> [String] {
    var subscription = Subscription(.objectType("Note"))
    subscription.rules = rules()
    return try store.lines(subscription, after: version, mode)
  }

  private static func event(_ version: Int, _ rest: String) -> String {
    #"{"class":"Note","id":1,"version":\#(version),\#(rest)}"#
  }

  @Test func `another object's change has one begin and cease to be seen`() async throws {
    let store = try await Self.filled()
    try await store.commit(store.update("Folder", .int(7), #"{"owner":"you"}"#))
    try await store.commit(store.update("Folder", .int(7), #"{"owner":"me"}"#))
    let object = #""object":{"id":1,"folder":7,"tag":null}"#
    #expect(
      try Self.lines(store, .live) == [
        "3-0-0 delete " + Self.event(3, #""reason":"unmatched""#),
        "4-0-0 insert " + Self.event(4, #"\#(object),"reason":"matched""#),
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a link looks different when what it leads to begins to be seen`(mode: Mode) async throws {
    let store = try await Self.filled()
    try await store.commit(store.update("Tag", .int(8), #"{"owner":"me"}"#))
    let object = #""object":{"id":1,"folder":7,"tag":8}"#
    #expect(
      try Self.lines(store, mode) == ["3-0-0 update " + Self.event(3, #"\#(object),"changed":["tag"]"#)])
  }

  @Test(arguments: Mode.allCases)
  func `a hidden property and a link from one hidden object to another tell nothing`(mode: Mode) async throws
  {
    let store = try await Self.filled()
    try await store.commit(store.update("Note", .int(1), #"{"tag":9,"pin":6}"#))
    try await store.commit(store.update("Tag", .int(9), #"{"owner":"they"}"#))
    #expect(try Self.lines(store, mode) == [])
  }

  /// The folder, which decides, is another's by now.
  @Test func `the past shows nothing that may not be seen now, and tells what is gone`() async throws {
    let store = try await Self.filled()
    try await store.commit(store.update("Note", .int(1), #"{"tag":null}"#))
    try await store.commit(store.update("Folder", .int(7), #"{"owner":"you"}"#))
    #expect(
      try Self.lines(store, .replayed) == ["4-0-0 delete " + Self.event(4, #""reason":"unmatched""#)])
    #expect(try Self.lines(store, .replayed, after: 1) == [])
  }

  @Test func `watches are found by the owner that their rules name, and all where rules look at a class`()
    throws
  {
    let schema = try Schema(notation: Value(json: Self.schema))
    let layouts = ClassLayouts(schema)
    var index = VisibilityIndex()
    var groups: [SubscriberGroup] = []
    for number in 0..<3 {
      var subscription = Subscription(.objectType("Note"))
      subscription.rules = Self.rules("user \(number)")
      let bound = try subscription.bound(in: schema)
      let group = SubscriberGroup(number: number, subscription, bound)
      index.add(group, bound, under: try #require(bound.rules), in: layouts)
      groups.append(group)
    }
    func found(_ objectType: String, _ owner: String) throws -> [Int] {
      let layout = try #require(layouts[objectType])
      let image = Mixed.dictionary([
        .init(key: "id", value: .int(1)), .init(key: "owner", value: .string(owner)),
      ])
      let state = ObjectState(layout, id: .int(1), key: ObjectKey(1), image: image)
      let identity = Identity(objectType: objectType, id: .int(1))
      let change = try #require(AppliedChange(of: identity, from: nil, to: state, changed: []))
      var numbers: [Int] = []
      index.forEachCandidate(of: change) { numbers += $0.nodes.flatMap(\.groups).map(\.number) }
      return numbers.sorted()
    }
    #expect(try found("Tag", "user 1") == [1] && found("Tag", "nobody") == [])
    #expect(try found("Folder", "nobody") == [0, 1, 2])
    for group in groups { index.remove(group, under: try #require(group.visibility), in: schema) }
    #expect(!index.watches("Tag") && !index.watches("Folder") && !index.watches("Note"))
  }
}
