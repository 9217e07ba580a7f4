import BSON
import Model
import Query
import Storage
import Testing

/// Queries that would keep an event loop too long.
@Suite struct ReaderPoolTests {
  private static let schema = """
    [{"name": "A", "primaryKey": "id", "properties": {"id": "int", "n": "int", "links": "A[]"}}]
    """
  /// With 64 objects that all link to all, SQLite would have to look at 64 to the sixth power of them.
  private static let endless = QueryRequest(
    filter: "ALL links.links.links.links.links.n < $0", arguments: [.int64(64)])

  private func store(readers: Int = 1) async throws -> TemporaryStore {
    var options = StoreOptions()
    options.readers = readers
    let store = try await TemporaryStore(Self.schema, options: options)
    let links = (0..<64).map(String.init).joined(separator: ",")
    let many = try (0..<64).map { try store.creation("A", #"{"id":\#($0),"n":\#($0),"links":[\#(links)]}"#) }
    _ = try await store.store.perform(Transaction(many))
    return store
  }

  private func plan(_ request: QueryRequest, in store: TemporaryStore) throws -> Plan {
    try Plan(request: request, schema: store.store.schema, objectType: "A")
  }

  @Test func `what is brief is read at once, and what is not is given up`() async throws {
    let store = try await store()
    let (brief, endless) = (
      try plan(QueryRequest(filter: "n > 60"), in: store), try plan(Self.endless, in: store)
    )
    #expect(try store.reading.briefly { try $0.count(endless) } == nil)
    #expect(try store.reading.briefly { try $0.count(brief) } == 3)
    // Elsewhere there is no such bound.
    #expect(try store.count("A", QueryRequest(filter: "ALL links.links.links.n < 64")) == 64)
  }

  @Test func `a query ends when its task is cancelled, and so does one that still waits`() async throws {
    let store = try await store()
    let endless = try plan(Self.endless, in: store)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let shared = store.store
    let running = Task.immediate {
      try await shared.read { reader in
        start.yield()
        return try reader.count(endless)
      }
    }
    let waiting = Task.immediate { try await shared.read { try $0.count(endless) } }
    for await _ in started { break }
    waiting.cancel()
    running.cancel()
    await #expect(throws: StorageError.cancelled) { try await running.value }
    await #expect(throws: StorageError.cancelled) { try await waiting.value }
    // The thread is free again, and its reader in order.
    let brief = try plan(QueryRequest(filter: "n > 60"), in: store)
    #expect(try await shared.read { try $0.count(brief) } == 3)
  }

  @Test(arguments: [1, 3])
  func `more queries than threads are all answered`(readers: Int) async throws {
    let store = try await store(readers: readers)
    let shared = store.store
    let plans = try (0..<20).map { try plan(QueryRequest(filter: "n < \($0)"), in: store) }
    let tasks = plans.map { plan in Task.immediate { try await shared.read { try $0.count(plan) } } }
    for (index, task) in tasks.enumerated() { #expect(try await task.value == index) }
  }
}
