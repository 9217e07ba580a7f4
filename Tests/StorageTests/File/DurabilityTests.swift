import GatehouseModel
import GatehouseScheduling
import Synchronization
import Testing

@testable import GatehouseStorage

/// Commits that are answered before they are durable.
@Suite struct DurabilityTests {
  private static let schema = #"[{"name": "A", "primaryKey": "id", "properties": {"id": "int", "n": "int"}}]"#
  /// Half of it is longer than a test takes.
  private static let long = Durability.within(milliseconds: 3_600_000)

  private static func store() async throws -> TemporaryStore {
    let store = try await TemporaryStore(schema)
    #expect(store.store.isSettled)
    return store
  }

  private static func creation(
    _ id: Int, _ durability: Durability, in store: TemporaryStore
  ) throws -> Transaction {
    var transaction = Transaction([try store.creation("A", #"{"id": \#(id), "n": 0}"#)])
    transaction.durability = durability
    return transaction
  }

  @Test(arguments: [
    ("full", Durability.full), ("within-100ms", .within(milliseconds: 100)),
    ("within:100ms", .within(milliseconds: 100)), ("within-1ms", .within(milliseconds: 1)),
    ("within-60000ms", .within(milliseconds: 60_000)), ("within-2s", .within(milliseconds: 2_000)),
    ("within:60s", .within(milliseconds: 60_000)), ("within-0ms", nil), ("within-60001ms", nil),
    ("within-61s", nil),
    ("within-0s", nil), ("within", nil), ("within-", nil), ("within-ms", nil), ("within-1", nil),
    ("within 1ms", nil),
    ("within--1ms", nil), ("within-+1ms", nil), ("within-1.5s", nil), ("within-٣ms", nil),
    ("within-99999999999999999999ms", nil), ("within-9223372036854775807s", nil), ("Full", nil), ("", nil),
  ])
  func `durabilities are read`(text: String, durability: Durability?) {
    #expect(Durability(text) == durability)
    if let durability { #expect(Durability(durability.token) == durability) }
  }

  @Test func `a commit that waits for no disk can be read at once, and is durable once somebody must know`()
    async throws
  {
    let store = try await Self.store()
    let commit = try await store.store.perform(Self.creation(1, Self.long, in: store))
    #expect(try store.object("A", .int(1)) == #"{"id":1,"n":0}"#)
    #expect(!store.store.isSettled)
    await store.store.settle()
    #expect(store.store.isSettled)
    #expect(store.store.version == commit.version)
  }

  @Test func `who reads the log has all of it durable`() async throws {
    let store = try await Self.store()
    _ = try await store.store.perform(Self.creation(1, Self.long, in: store))
    #expect(try store.changes().changes.count == 2)
    #expect(store.store.isSettled)
    _ = try await store.store.perform(Self.creation(2, Self.long, in: store))
    #expect(!store.store.isSettled)
    #expect(try store.reading.snapshot { $0.version } == 3)
    #expect(store.store.isSettled)
  }

  @Test func `a durable commit has all before it durable`() async throws {
    let store = try await Self.store()
    _ = try await store.store.perform(Self.creation(1, Self.long, in: store))
    _ = try await store.store.perform(Self.creation(2, .full, in: store))
    #expect(store.store.isSettled)
  }

  @Test func `a durable answer that needs no commit has what it was made of durable`() async throws {
    let store = try await Self.store()
    var first = try Self.creation(1, Self.long, in: store)
    first.idempotency = IdempotencyRecord(key: "k", fingerprint: 1) { _ in [7] }
    _ = try await store.store.perform(first)
    #expect(!store.store.isSettled)
    // The other may be lost with the first where it asks for no more.
    #expect(try await store.store.perform(first).repeated == [7])
    #expect(!store.store.isSettled)
    var second = first
    second.durability = .full
    #expect(try await store.store.perform(second).repeated == [7])
    #expect(store.store.isSettled)
  }

  @Test func `who asks for more than others of the group gets it for all`() async throws {
    let store = try await Self.store()
    let together = try [Self.long, .full, Self.long].enumerated().map { index, durability in
      try Self.creation(index, durability, in: store)
    }
    let results = try await store.performTogether(together)
    #expect(results.map { try? $0.get().version } == [2, 3, 4])
    #expect(store.store.isSettled)
  }

  @Test func `commits are told of once they are durable`() async throws {
    let store = try await Self.store()
    let count = Counter()
    store.store.observeCommits { count.value.add(1, ordering: .relaxed) }
    _ = try await store.store.perform(Self.creation(1, Self.long, in: store))
    _ = try await store.store.perform(Self.creation(2, Self.long, in: store))
    #expect(count.value.load(ordering: .relaxed) == 0)
    await store.store.settle()
    #expect(count.value.load(ordering: .relaxed) == 1)
    _ = try await store.store.perform(Self.creation(3, .full, in: store))
    #expect(count.value.load(ordering: .relaxed) == 2)
  }

  /// Such as a record, which is no commit of the store's and is not told of itself.
  @Test func `commits are told of once something else has synced the log`() async throws {
    let store = try await Self.store()
    let count = Counter()
    store.store.observeCommits { count.value.add(1, ordering: .relaxed) }
    _ = try await store.store.perform(Self.creation(1, Self.long, in: store))
    #expect(count.value.load(ordering: .relaxed) == 0)
    _ = try await store.store.keep([RecordChange(Record.Name("test", "a"), [1])])
    #expect(store.store.isSettled)
    #expect(count.value.load(ordering: .relaxed) == 1)
  }

  @Test(arguments: [true, false])
  func `a failed sync of a commit that is refused stops the store only where others depend on it`(
    wasSettled: Bool
  ) {
    // SQLite syncs a log that begins anew, also for commits that need not be durable at once.
    let isLost = Mutex(false)
    let sync = LogSync(on: DispatchScheduler()) { isLost.withLock { $0 = true } }
    sync.willCommit()
    sync.note(.sqlite(code: 10 | 4 << 8, message: "fsync"), wasSettled: wasSettled)
    #expect(sync.failedSyncs == (wasSettled ? 1 : 0))
    #expect((sync.failure == nil, isLost.withLock(\.self)) == (wasSettled, !wasSettled))
  }

  @Test(arguments: [1, 3, 50])
  func `nobody has to ask`(milliseconds: Int) async throws {
    let store = try await Self.store()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    store.store.observeCommits { continuation.yield() }
    _ = try await store.store.perform(Self.creation(1, .within(milliseconds: milliseconds), in: store))
    for await _ in stream { break }
    #expect(store.store.isSettled)
  }

  /// The log begins anew, is moved by checkpoints, and shortened, as after durable commits.
  @Test func `many commits of either kind leave a whole store`() async throws {
    var options = StoreOptions()
    options.writeAheadSize = 1 << 20
    options.logSize = 1 << 20
    let store = try await TemporaryStore(
      #"[{"name": "A", "primaryKey": "id", "properties": {"id": "int", "text": "string"}}]"#, options: options
    )
    let text = String(repeating: "x", count: 20_000)
    for id in 0..<600 {
      var transaction = Transaction([try store.creation("A", #"{"id": \#(id), "text": "\#(text)"}"#)])
      transaction.durability = id % 50 == 49 ? .full : .within(milliseconds: id % 3 == 0 ? 1 : 60_000)
      _ = try await store.store.perform(transaction)
    }
    try await store.store.shortenLog()
    #expect(try store.counts() == ["A": 600])
    #expect(try store.violations() == [])
    try await store.reopen()
    #expect(try store.counts() == ["A": 600])
  }

  private final class Counter: Sendable {
    let value = Atomic(0)
  }
}
