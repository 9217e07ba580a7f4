import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

/// Frames of what a path leads to inside an object, told live and by a replay alike.
@Suite struct PropertyEventTests {
  private static let schema = """
    [{"name":"A","primaryKey":"_id","properties":{"_id":"int","n":"int?","list":"int[]","set":"int<>","map":"int{}",\
    "b":"B?","bs":"B[]"}},\
    {"name":"B","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  /// Makes object 1 in version 2, and a commit of each group of operations after it.
  private static func store(
    _ json: String, _ changes: (FeedStore) throws -> [GatehouseStorage.Operation]
  ) async throws -> FeedStore {
    let store = try await FeedStore(schema)
    try await store.commit(store.creation("B", #"{"_id":1,"text":"x"}"#), store.creation("A", json))
    for change in try changes(store) { try await store.commit(change) }
    return store
  }

  /// Returns the frames behind version 2 with what is the same in all of them left out.
  private static func told(_ store: FeedStore, _ path: String..., mode: Mode) throws -> [String] {
    try store.lines(Subscription(.property("A", id: .int(1), path)), after: 2, mode).map { line in
      let words = line.split(separator: " ", maxSplits: 2)
      let start = #"{"class":"A","id":1,"path":"\#(path.joined(separator: "/"))","version":"#
      #expect(words[2].hasPrefix(start), "\(line)")
      return "\(words[0]) \(words[1]) \(words[2].dropFirst(start.count))"
    }
  }

  @Test(arguments: Mode.allCases)
  func `a property tells its value, and that it is gone with its object`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"n":1}"#) { store in
      [
        try store.update("A", .int(1), #"{"n":2}"#), try store.update("A", .int(1), #"{"list":[1]}"#),
        try store.update("A", .int(1), #"{"n":null}"#), store.deletion("A", .int(1)),
        try store.creation("A", #"{"_id":1,"n":9}"#),
      ]
    }
    #expect(
      try Self.told(store, "n", mode: mode) == [
        #"3-0 update 3,"value":2}"#, #"5-0 update 5,"value":null}"#, #"6-0 delete 6,"reason":"deleted"}"#,
        #"7-0 insert 7,"value":9}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a list tells indices, and the elements at them`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"list":[1,2,3]}"#) { store in
      [
        try store.setting("A", .int(1), ["list"]) { _ in .insert([.value(.int(7))], at: 1) },
        try store.setting("A", .int(1), ["list", "0"]) { _ in .assign(.value(.int(5))) },
        try store.setting("A", .int(1), ["list"]) { _ in .removeElements(from: 2, count: 1) },
      ]
    }
    func update(_ version: Int, _ indices: [[Int]], inserted: [Int], modified: [Int]) -> String {
      let names = ["deletions", "insertions", "modifications", "modificationsNew", "inserted", "modified"]
      let members = zip(names, indices + [inserted, modified]).map { name, numbers in
        #""\#(name)":[\#(numbers.map(String.init).joined(separator: ","))]"#
      }
      return "\(version)-0 update \(version),\(members.joined(separator: ","))}"
    }
    #expect(
      try Self.told(store, "list", mode: mode) == [
        update(3, [[], [1], [], []], inserted: [7], modified: []),
        update(4, [[], [], [0], [0]], inserted: [], modified: [5]),
        update(5, [[2], [], [], []], inserted: [], modified: []),
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a set tells members that come and go`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"set":[1,2,4]}"#) { store in
      [
        try store.setting("A", .int(1), ["set"]) { _ in .union([.value(.int(3)), .value(.int(4))]) },
        try store.setting("A", .int(1), ["set"]) { _ in .subtract([.value(.int(1))]) },
      ]
    }
    let end = #""modifications":[],"modificationsNew":[],"#
    #expect(
      try Self.told(store, "set", mode: mode) == [
        #"3-0 update 3,"deletions":[],"insertions":[2],\#(end)"inserted":[3],"modified":[]}"#,
        #"4-0 update 4,"deletions":[0],"insertions":[],\#(end)"inserted":[],"modified":[]}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a map tells keys in the order of their bytes`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"map":{"a":1,"b":2,"c":3}}"#) { store in
      [
        try store.setting("A", .int(1), ["map"]) { _ in
          .assign(
            .map([
              .init(key: "0", value: .value(.int(0))), .init(key: "b", value: .value(.int(5))),
              .init(key: "c", value: .value(.int(3))),
            ]))
        },
        try store.setting("A", .int(1), ["map", "c"]) { _ in .assign(.value(.int(4))) },
        try store.setting("A", .int(1), ["map", "b"]) { _ in .remove },
      ]
    }
    #expect(
      try Self.told(store, "map", mode: mode) == [
        #"3-0 update 3,"deletions":["a"],"insertions":["0"],"modifications":["b"],"values":{"0":0,"b":5}}"#,
        #"4-0 update 4,"deletions":[],"insertions":[],"modifications":["c"],"values":{"c":4}}"#,
        #"5-0 update 5,"deletions":["b"],"insertions":[],"modifications":[],"values":{}}"#,
      ])
    #expect(
      try Self.told(store, "map", "b", mode: mode) == [
        #"3-0 update 3,"value":5}"#, #"5-0 delete 5,"reason":"deleted"}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a path through a link follows it to another object`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"b":1}"#) { store in
      [
        try store.update("B", .int(1), #"{"text":"y"}"#), try store.creation("B", #"{"_id":2,"text":"z"}"#),
        try store.update("A", .int(1), #"{"b":2}"#), try store.update("B", .int(1), #"{"text":"no"}"#),
        try store.update("A", .int(1), #"{"b":null}"#),
      ]
    }
    #expect(
      try Self.told(store, "b", "text", mode: mode) == [
        #"3-0 update 3,"value":"y"}"#, #"5-0 update 5,"value":"z"}"#, #"7-0 delete 7,"reason":"deleted"}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a list of links tells changes of the objects in it`(mode: Mode) async throws {
    let store = try await Self.store(#"{"_id":1,"bs":[1]}"#) { store in
      [
        try store.creation("B", #"{"_id":2,"text":"z"}"#),
        try store.setting("A", .int(1), ["bs"]) { _ in
          .insert([.link(objectType: "B", primaryKey: .int(2))], at: 0)
        }, try store.update("B", .int(1), #"{"text":"y"}"#),
      ]
    }
    #expect(
      try Self.told(store, "bs", mode: mode) == [
        #"4-0 update 4,"deletions":[],"insertions":[0],"modifications":[],"modificationsNew":[],"inserted":[2],"#
          + #""modified":[]}"#,
        #"5-0 update 5,"deletions":[],"insertions":[],"modifications":[1],"modificationsNew":[1],"inserted":[],"#
          + #""modified":[1]}"#,
      ])
  }

  @Test func `an index finds the properties of an object, and those that links lead from`() async throws {
    let store = try await FeedStore(Self.schema)
    func node(_ id: Int64, _ path: String...) throws -> PropertyWatchNode {
      let bound = try Subscription(.property("A", id: .int(id), path)).bound(in: store.store.schema)
      guard case .property(let watch) = bound.target else { throw StorageError.unknownClass("A") }
      return PropertyWatchNode(watch)
    }
    let (own, other, through) = (try node(1, "n"), try node(2, "n"), try node(2, "b", "text"))
    var index = PropertyWatchIndex()
    for node in [own, other, through] { index.add(node) }
    func found(_ objectType: String, _ id: Int64) -> Set<ObjectIdentifier> {
      Set(index.candidates(Identity(objectType: objectType, id: .int(id))).map(ObjectIdentifier.init))
    }
    #expect(found("A", 1) == [ObjectIdentifier(own)])
    #expect(found("A", 2) == [ObjectIdentifier(other), ObjectIdentifier(through)])
    #expect(found("A", 3).isEmpty)
    #expect(found("B", 77) == [ObjectIdentifier(through)])
    index.remove(through)
    #expect(found("B", 77).isEmpty && !index.watches("B") && index.watches("A"))
    index.remove(own)
    index.remove(other)
    #expect(!index.watches("A"))
  }
}
