import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import Testing

@testable import GatehouseStorage

/// The filters of changes and deletions are evaluated on the readers' threads, and the writer takes over the objects where
/// these are still the same.
@Suite struct FilteredChangeTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","next":"A?","b":"B?"}},
     {"name":"B","primaryKey":"id","properties":{"id":"int","n":"int"}}]
    """

  /// A store with 200 objects, `n` of which are 0 to 3 in turn.
  private func store(_ options: StoreOptions = StoreOptions()) async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema, options: options)
    let objects = try (0..<200).map {
      try store.creation("A", #"{"id":\#($0),"n":\#($0 % 4),"b":\#($0 % 2)}"#)
    }
    let others = try (0..<2).map { try store.creation("B", #"{"id":\#($0),"n":\#($0)}"#) }
    _ = try await store.store.perform(Transaction(others + objects))
    return store
  }

  private func deletion(_ filter: String, in store: TemporaryStore) throws -> Transaction {
    let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
    return Transaction([.each(plan, .delete)])
  }

  @Test(arguments: ["n > 3", "b.n > 3", "n > 3 SORT(b.n ASC)"])
  func `a filter that matches nothing does not wait for the writer`(filter: String) async throws {
    let store = try await store()
    try await store.close()
    // No write has its turn soon enough.
    var options = StoreOptions()
    options.writeWait = 1
    let limited = try Store(directory: store.directory, options: options)
    let commit = try await limited.perform(deletion(filter, in: store))
    #expect((commit.version, commit.results.count) == (2, 1))
    #expect((commit.results.first?.effect, commit.results.first?.count) == (.unchanged, 0))
    await #expect(throws: OperationError(operation: 0, reason: .timeLimit)) {
      try await limited.perform(deletion("n == 3", in: store))
    }
    // A hook is told, and an answer kept, by a commit.
    var hooked = try deletion(filter, in: store)
    hooked.hook = CommitHook { _ in [] }
    var repeatable = try deletion(filter, in: store)
    repeatable.idempotency = IdempotencyRecord(key: "a", fingerprint: 1) { _ in [] }
    for transaction in [hooked, repeatable] {
      await #expect(throws: OperationError(operation: 0, reason: .timeLimit)) {
        try await limited.perform(transaction)
      }
    }
    await limited.close()
  }

  @Test func `the writer takes the objects over`() async throws {
    let store = try await store()
    let found = try await store.store.matches(of: deletion("n == 3 SORT(id DESC)", in: store))
    #expect(found?.keys == (0..<50).map { Int64(199 - 4 * $0) })
    // Another class does not matter.
    try await store.create("B", #"{"id":9,"n":9}"#)
    // Only to see whose objects they are, the filter of the transaction is another one.
    let commit = try await store.store.perform(deletion("TRUEPREDICATE", in: store), on: found)
    #expect(commit.results.map(\.count) == [50])
    #expect(try store.count("A", QueryRequest(filter: "n == 3")) == 0)
    #expect(try store.counts() == ["A": 150, "B": 3])
    #expect(try store.violations() == [])
  }

  @Test(arguments: [#"{"id":500,"n":3}"#, #"{"id":3,"n":2}"#])
  func `what changes in between is seen`(change: String) async throws {
    let store = try await store()
    let deletion = try deletion("n == 3", in: store)
    let found = try await store.store.matches(of: deletion)
    #expect(found?.keys.count == 50)
    try await store.perform(store.creation("A", change, .modified))
    let commit = try await store.store.perform(deletion, on: found)
    #expect(commit.results.map(\.count) == [change.contains("500") ? 51 : 49])
    #expect(try store.count("A", QueryRequest(filter: "n == 3")) == 0)
  }

  @Test func `a schema that changes in between is seen`() async throws {
    let store = try await store()
    var deletion = try deletion("n == 3", in: store)
    let found = try await store.store.matches(of: deletion)
    _ = try await store.apply(
      Self.schema.replacing(#""n":"int","next""#, with: #""n":"int","new":"int?","next""#))
    #expect(try await store.store.perform(deletion, on: found).results.map(\.count) == [50])
    deletion.generation = found?.generation
    await #expect(throws: OperationError(operation: 0, reason: .schemaChanged)) {
      try await store.store.perform(deletion)
    }
  }

  @Test(arguments: [
    "b.n == 1", "next == NULL AND ANY b.@links.A.b.n == 1", "n == 1 SORT(b.n ASC) LIMIT(3)",
    "@links.@count == 0",
    "n == 1 DISTINCT(b.n)", "b == obj('B', 1)", "SUBQUERY(@links.A.next, $x, $x.n == 1).@count == 0",
  ])
  func `objects of other classes may decide, so that the writer looks for itself`(filter: String) async throws
  {
    let store = try await store()
    guard let deletion = try? deletion(filter, in: store) else {
      Issue.record("\(filter)")
      return
    }
    let found = try await store.store.matches(of: deletion)
    #expect((found?.isOfOneClass, found?.keys.count) == (false, 1))
    let count = try store.count("A", QueryRequest(filter: filter))
    #expect(count > 0)
    #expect(try await store.store.perform(deletion, on: found).results.map(\.count) == [count])
  }

  @Test func `objects that memory has no room for are looked for once more`() async throws {
    var options = StoreOptions()
    options.sharedMemory = 399
    let store = try await store(options)
    let found = try await store.store.matches(of: deletion("n == 3", in: store))
    let commit = try await store.store.perform(deletion("n != 3", in: store), on: found)
    #expect(commit.results.map(\.count) == [150])
    #expect(store.store.memory.used == 0)
  }

  @Test func `a request that was performed before is answered although more would match now`() async throws {
    var options = StoreOptions()
    options.bulkObjects = 60
    let store = try await store(options)
    var deletion = try deletion("n == 3", in: store)
    deletion.idempotency = IdempotencyRecord(key: "a", fingerprint: 1) { _ in [7] }
    #expect(try await store.store.perform(deletion).results.map(\.count) == [50])
    let more = try (300..<400).map { try store.creation("A", #"{"id":\#($0),"n":3}"#) }
    _ = try await store.store.perform(Transaction(more))
    #expect(try await store.store.perform(deletion).repeated == [7])
    deletion.idempotency = nil
    await #expect(throws: OperationError(operation: 0, reason: .tooManyObjects(limit: 60))) {
      try await store.store.perform(deletion)
    }
  }
}
