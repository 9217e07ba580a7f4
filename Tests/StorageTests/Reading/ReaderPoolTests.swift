import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage
import Testing

/// Queries that would keep an event loop too long.
@Suite struct ReaderPoolTests {
  private static let schema = """
    [{"name": "A", "primaryKey": "id", "properties": {"id": "int", "n": "int", "links": "A[]"}}]
    """
  /// With 64 objects that all link to all, SQLite would have to look at 64 to the sixth power of them.
  private static let endless = QueryRequest(
    filter: "ALL links.links.links.links.links.n < $0", arguments: [.int64(64)])

  private func store(readers: Int = 1, places: Int = 256) async throws -> TemporaryStore {
    var options = StoreOptions()
    options.readers = readers
    options.waitingReads = places
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

  @Test func `beyond its bound the queue refuses at once, and who leaves it makes room`() async throws {
    let store = try await store(places: 4)
    let endless = try plan(Self.endless, in: store)
    let shared = store.store
    let (one, two) = (Caller(address: 1), Caller(address: 2))
    func count(for caller: Caller) -> Task<Int, any Error> {
      Task.immediate { try await shared.read(for: caller) { try $0.count(endless) } }
    }
    let running = count(for: one)
    let waiting = [count(for: one), count(for: one)]
    await #expect(throws: StorageError.refused(.share)) { try await count(for: one).value }
    // While others wait, less is brief.
    #expect(try store.reading.briefly { try $0.count(endless) } == nil)
    let others = [count(for: two), count(for: Caller(address: 3))]
    await #expect(throws: StorageError.refused(.exhausted)) { try await count(for: Caller(address: 4)).value }
    waiting[0].cancel()
    await #expect(throws: StorageError.cancelled) { try await waiting[0].value }
    let next = count(for: Caller(address: 4))
    for task in [running, waiting[1], next] + others { task.cancel() }
    for task in [running, waiting[1], next] + others {
      await #expect(throws: StorageError.cancelled) { try await task.value }
    }
    let brief = try plan(QueryRequest(filter: "n > 60"), in: store)
    #expect(try await shared.read(for: two) { try $0.count(brief) } == 3)
  }

  @Test func `a caller's long query is left out of the loop the next time, not another's`() async throws {
    let store = try await store()
    let endless = try plan(Self.endless, in: store)
    // The same statement, with a constant that makes it brief.
    let brief = try plan(QueryRequest(filter: Self.endless.filter, arguments: [.int64(-1)]), in: store)
    let (one, two) = (Caller(address: 1), Caller(address: 2))
    #expect(try store.reading.briefly(for: one) { try $0.count(brief) } == 0)
    #expect(try store.reading.briefly(for: one) { try $0.count(endless) } == nil)
    #expect(try store.reading.briefly(for: two) { try $0.count(brief) } == 0)
    #expect(try store.reading.briefly(for: one) { try $0.count(brief) } == nil)
    #expect(try store.reading.briefly(for: one) { try $0.count(brief) } == 0)
  }

  /// Giving up may happen anywhere, also between reading the keys of a map and its values.
  @Test func `a query that is given up while it looks into maps is done again elsewhere`() async throws {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","map":"int{}","links":"A{}"}}]"#)
    let many = try (0..<1000).map {
      try store.creation(
        "A", #"{"id":\#($0),"n":\#($0 % 7),"map":{"x":\#($0 % 5),"y":1},"links":{"x":\#($0)}}"#)
    }
    _ = try await store.store.perform(Transaction(many))
    for (filter, count) in [
      ("links.x.n > map.y", 714), ("map.x > n", 284), ("map.x + map.y == n", 145),
      ("map.x + map.y + map.x == n", 86),
      ("links.x.map.y + map.x > n", 429), ("n != n + map.y", 1000),
    ] {
      let plan = try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
      #expect(try store.reading.briefly { try $0.count(plan) } == nil, "\(filter)")
      #expect(try await store.store.read { try $0.count(plan) } == count, "\(filter)")
    }
  }

  @Test func `large objects are work, however few instructions they take`() async throws {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string"}}]"#)
    let text = String(repeating: "x", count: 100_000)
    for id in 0..<20 { try await store.create("A", #"{"id":\#(id),"text":"\#(text)"}"#) }
    let plan = try Plan(request: QueryRequest(), schema: store.store.schema, objectType: "A")
    func page(_ size: Int, _ framing: Reader.Framing) throws -> Int? {
      var plan = plan
      plan.pageSize = size
      return try store.reading.briefly { [plan] reader in
        var bytes: [UInt8] = []
        return try reader.page(plan, as: .json, framing: framing, into: &bytes).count
      }
    }
    // From rows, and, once they are there, from the cache.
    for _ in 0..<100 {
      for framing in [Reader.Framing.array, .sequence] {
        #expect(try page(5, framing) == 5)
        #expect(try page(20, framing) == nil)
      }
    }
  }

  @Test(arguments: [Reader.Framing.array, .sequence])
  func `a page ends early once it has its bytes, and the next one goes on there`(framing: Reader.Framing)
    async throws
  {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string"}}]"#)
    for id in 0..<10 {
      try await store.create("A", #"{"id":\#(id),"text":"\#(String(repeating: "x", count: 100))"}"#)
    }
    var plan = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE SORT(id DESC)"), schema: store.store.schema,
      objectType: "A")
    plan.pageSize = 8
    // Again and again, so that the objects come from the cache in the end.
    for _ in 0..<200 {
      plan.cursor = nil
      var counts: [Int] = []
      var texts = ""
      repeat {
        var bytes: [UInt8] = []
        let page = try store.reading.page(plan, as: .json, framing: framing, atMost: 300, into: &bytes)
        counts.append(page.count)
        texts += String(decoding: bytes, as: UTF8.self)
        plan.cursor = page.next
      } while plan.cursor != nil
      #expect(counts == [3, 3, 3, 1])
      #expect(
        texts.split(separator: "\"id\":").dropFirst().map { $0.prefix { $0 != "," } }
          == (0..<10).reversed().map { "\($0)" })
    }
  }
}
