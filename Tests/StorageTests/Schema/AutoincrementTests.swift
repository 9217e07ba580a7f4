import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Testing

/// Primary keys that the store counts.
@Suite struct AutoincrementTests {
  private static let schema =
    #"[{"name":"A","primaryKey":"id","properties":{"t":"string?","id":{"type":"int","default":"autoincrement"},"b":"A"}}]"#

  private func create(_ store: TemporaryStore, _ json: String = "{}") async throws -> Mixed {
    try await store.create("A", json).results[0].id
  }

  @Test func `numbers go up, also behind those that are given, and never come back`() async throws {
    let store = try await TemporaryStore(Self.schema)
    #expect(try await create(store) == .int(1))
    #expect(try await create(store, #"{"t":"x"}"#) == .int(2))
    #expect(try store.object("A", .int(2)) == #"{"t":"x","id":2,"b":null}"#)
    #expect(try await create(store, #"{"id":10}"#) == .int(10))
    #expect(try await create(store, #"{"id":-5}"#) == .int(-5))
    #expect(try await create(store, #"{"id":7}"#) == .int(7))
    #expect(try await create(store) == .int(11))
    try await store.perform(store.replacement("A", .int(20), #"{"id":20}"#))
    try await store.perform(.delete(objectType: "A", id: .int(20), precondition: .none))
    try await store.perform(.delete(objectType: "A", id: .int(11), precondition: .none))
    #expect(try await create(store) == .int(21))
    for policy in [Operation.UpdatePolicy.all, .modified] {
      let commit = try await store.perform(store.creation("A", #"{"t":"y"}"#, policy))
      #expect(commit.results[0].effect == .created)
    }
    #expect(try store.counts() == ["A": 8])
    #expect(try store.object("A", .int(23)) == #"{"t":"y","id":23,"b":null}"#)
    #expect(try store.violations() == [])
    let changes = try store.changes().changes
    #expect(changes.last?.contains(#""id":23"#) == true)
  }

  @Test func `they outlive the process, a change of the schema, and what is refused`() async throws {
    let store = try await TemporaryStore(Self.schema)
    #expect(try await create(store, #"{"id":41}"#) == .int(41))
    try await store.perform(.delete(objectType: "A", id: .int(41), precondition: .none))
    try await store.reopen()
    #expect(try await create(store) == .int(42))
    let taken = try store.creation("A", #"{"id":42}"#)
    let next = try store.creation("A", "{}")
    await #expect(throws: OperationError.self) {
      try await store.store.perform(Transaction([next, next, taken]))
    }
    try await store.perform(.delete(objectType: "A", id: .int(42), precondition: .none))
    _ = try await store.apply(Self.schema.replacing(#""t":"string?""#, with: #""t":"string?","n":"int?""#))
    #expect(try await create(store) == .int(43))
    // Who stops counting, and begins again, goes on behind what is there.
    _ = try await store.apply(
      Self.schema.replacing(#"{"type":"int","default":"autoincrement"}"#, with: #""int""#), destructive: true)
    _ = try await store.apply(Self.schema)
    try await store.reopen()
    #expect(try await create(store) == .int(44))
    #expect(try store.violations() == [])
  }

  @Test func `many at once have one each`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let (operation, writing) = (try store.creation("A", "{}"), store.store)
    let ids = try await withThrowingTaskGroup(of: [Mixed].self) { group in
      for _ in 0..<50 {
        group.addTask { try await writing.perform(Transaction([operation, operation])).results.map(\.id) }
      }
      return try await group.reduce(into: [Mixed]()) { $0 += $1 }
    }
    #expect(Set(ids) == Set((1...100).map { .int($0) }))
  }

  @Test func `the largest number has none behind it`() async throws {
    let store = try await TemporaryStore(Self.schema)
    _ = try await create(store, #"{"id":9223372036854775806}"#)
    #expect(try await create(store) == .int(.max))
    let error = await #expect(throws: OperationError.self) { try await create(store) }
    #expect(error?.reason == .keysExhausted(objectType: "A"))
    try await store.reopen()
    await #expect(throws: OperationError.self) { try await create(store) }
    #expect(try await create(store, #"{"id":5}"#) == .int(5))
  }

  @Test func `a link to the object itself, and to one that comes later, is found`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let operations = [try store.creation("A", #"{"id":2,"b":3}"#), try store.creation("A", "{}")]
    _ = try await store.store.perform(Transaction(operations))
    #expect(try store.object("A", .int(2)) == #"{"t":null,"id":2,"b":3}"#)
    #expect(try store.violations() == [])
  }
}
