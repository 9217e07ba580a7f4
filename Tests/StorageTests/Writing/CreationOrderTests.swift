import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Objects are listed in the order in which they were created, whatever links to them first.
@Suite struct CreationOrderTests {
  private static let schema = """
    [{"name":"Node","primaryKey":"id","properties":{"id":"int","next":"Node?","list":"Node[]","set":"Node<>",
      "map":"Node{}","part":"Part?","any":"mixed","anys":"mixed[]","anySet":"mixed<>",
      "previous":{"type":"linkingObjects","objectType":"Node","property":"next"}}},
     {"name":"Part","embedded":true,"properties":{"of":"Node?","among":"Node[]","any":"mixed{}"}}]
    """

  /// Objects that lead forward by every kind of property, then those that they lead to, one of them to itself and back.
  private static let lines = [
    #"{"id":9,"next":3}"#, #"{"id":8,"list":[2,3,2],"set":[3,1],"map":{"a":1,"b":2}}"#,
    #"{"id":7,"part":{"of":1,"among":[2,1],"any":{"k":{"$ref":"Node","$id":2}}}}"#,
    #"{"id":6,"any":{"deep":[{"$ref":"Node","$id":1},{"$ref":"Node","$id":3}]}}"#,
    #"{"id":5,"anys":[{"$ref":"Node","$id":3}],"anySet":[{"$ref":"Node","$id":1},1]}"#,
    #"{"id":1,"next":1,"list":[9,1,2]}"#, #"{"id":2}"#, #"{"id":3,"next":9}"#,
  ]

  /// Returns the listing of a store in which each object is created before it is linked to.
  private func expected() async throws -> [String] {
    let store = try await TemporaryStore(Self.schema)
    for id in [9, 8, 7, 6, 5, 1, 2, 3] { try await store.create("Node", #"{"id":\#(id)}"#) }
    for line in Self.lines {
      let value = try Value(json: line)
      let draft = try store.type("Node").draft(from: value, in: store.store.schema, mode: .update)
      try await store.perform(.create(objectType: "Node", draft: draft, policy: .all))
    }
    return try store.page("Node", QueryRequest()).objects
  }

  private func check(_ store: TemporaryStore) async throws {
    #expect(try store.page("Node", QueryRequest()).objects == (await expected()))
    #expect(try store.violations() == [])
    // Links that were told apart by keys are found by them, too.
    #expect(try store.count("Node", QueryRequest(filter: "previous.@count > 0")) == 3)
    try await store.perform(.delete(objectType: "Node", id: .int(1), precondition: .none))
    #expect(
      try store.object("Node", .int(6)) == """
        {"id":6,"next":null,"list":[],"set":[],"map":{},"part":null,\
        "any":{"deep":[null,{"$ref":"Node","$id":3}]},"anys":[],"anySet":[]}
        """)
    #expect(try store.violations() == [])
  }

  @Test func `in a transaction`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let operations = try Self.lines.map { try store.creation("Node", $0) }
    let commit = try await store.store.perform(Transaction(operations, returning: .json))
    #expect(commit.results.map(\.id) == [9, 8, 7, 6, 5, 1, 2, 3].map { .int($0) })
    #expect(
      try store.reading.changes(from: .oldest, limit: 100).changes.dropFirst().map(\.id)
        == [9, 8, 7, 6, 5, 1, 2, 3].map { .int($0) })
    try await check(store)
  }

  @Test(arguments: [1, 2, 3, 8]) func `in a load, whatever its pieces`(size: Int) async throws {
    let store = try await TemporaryStore(Self.schema)
    let operations = try Self.lines.map { try store.creation("Node", $0) }
    let pieces = Pieces(
      stride(from: 0, to: operations.count, by: size).map {
        Array(operations[$0..<min($0 + size, operations.count)])
      })
    _ = try await store.store.load { pieces.next() }
    try await check(store)
  }

  @Test func `a link to what never comes leaves nothing`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let before = store.store.version
    let operations = try [
      store.creation("Node", #"{"id":1,"next":2,"any":{"$ref":"Node","$id":3}}"#),
      store.creation("Node", #"{"id":2}"#),
    ]
    await #expect(
      throws: OperationError(
        operation: 0, reason: .linkTargetNotFound(objectType: "Node", primaryKey: .int(3)))
    ) { try await store.store.perform(Transaction(operations)) }
    #expect(store.store.version == before)
    #expect(try store.counts() == ["Node": 0])
    #expect(try store.violations() == [])
  }
}
