import GatehouseSharing
import GatehouseStorage
import Testing

/// The writer is shared out among callers.
@Suite struct SharedWriterTests {
  private static let schema = #"[{"name": "A", "primaryKey": "id", "properties": {"id": "int"}}]"#
  private static let (one, two) = (Caller(address: 1), Caller(address: 2, principal: "user/a"))

  /// Hands a transaction of that many creations to the writer, which is busy.
  private func create(
    _ ids: Range<Int>, for caller: Caller, in store: TemporaryStore
  ) throws -> Task<Int64, any Error> {
    var transaction = Transaction(try ids.map { try store.creation("A", #"{"id": \#($0)}"#) })
    transaction.caller = caller
    return Task.immediate { [shared = store.store, transaction] in
      try await shared.perform(transaction).version
    }
  }

  @Test func `a caller with many writes leaves others theirs`() async throws {
    var options = StoreOptions()
    options.waitingWrites = 8
    let store = try await TemporaryStore(Self.schema, options: options)
    let occupation = await store.occupyWriter()
    let taken = try (0..<4).map { try create($0..<$0 + 1, for: Self.one, in: store) }
    await #expect(throws: OperationError(operation: 0, reason: .refused(.share))) {
      try await create(9..<10, for: Self.one, in: store).value
    }
    let other = try create(10..<11, for: Self.two, in: store)
    let third = try (0..<3).map {
      try create(20 + $0..<21 + $0, for: Caller(address: 3 + UInt64($0)), in: store)
    }
    await #expect(throws: OperationError(operation: 0, reason: .refused(.exhausted))) {
      try await create(30..<31, for: Caller(address: 9), in: store).value
    }
    try await occupation.end()
    for task in taken + [other] + third { _ = try await task.value }
    #expect(try store.counts() == ["A": 8])
    // Nobody holds anything any more.
    _ = try await create(9..<10, for: Self.one, in: store).value
  }

  @Test func `long writes of two callers take turns, and short ones come first`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let occupation = await store.occupyWriter()
    var tasks = try [0, 100, 200].map { try create($0..<$0 + 70, for: Self.one, in: store) }
    tasks.append(try create(300..<370, for: Self.two, in: store))
    tasks.append(try create(400..<401, for: Self.one, in: store))
    try await occupation.end()
    var versions: [Int64] = []
    for task in tasks { versions.append(try await task.value) }
    // The schema is the first commit.
    #expect(versions == [3, 5, 6, 4, 2])
  }

  @Test func `a load takes its turn, too`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let occupation = await store.occupyWriter()
    let first = try create(0..<70, for: Self.one, in: store)
    let pieces = Pieces([[try store.creation("A", #"{"id": 200}"#)]])
    let load = Task.immediate { [shared = store.store] in
      try await shared.load(idempotency: nil, caller: Self.one) { pieces.next() }.version
    }
    let other = try create(100..<170, for: Self.two, in: store)
    try await occupation.end()
    #expect(try await [first.value, other.value, load.value] == [2, 3, 4])
  }

  @Test func `whoever closes the store waits for all that waits`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let occupation = await store.occupyWriter()
    var tasks = try [0, 100, 200].map { try create($0..<$0 + 70, for: Self.one, in: store) }
    tasks.append(try create(300..<370, for: Self.two, in: store))
    let shared = store.store
    let closing = Task.immediate { await shared.close() }
    for id in 400..<410 { tasks.append(try create(id..<id + 1, for: Self.two, in: store)) }
    try await occupation.end()
    await closing.value
    for task in tasks { #expect(try await task.value <= 15) }
    let reopened = try Store(directory: store.directory)
    #expect(try reopened.makeReader().counts().map(\.count) == [290])
    await reopened.close()
  }

  /// Another process may have the directory by then, and commits of its own.
  @Test func `what comes after the store was closed is not written`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let operations = try (0..<70).map { try store.creation("A", #"{"id": \#($0)}"#) }
    await store.store.close()
    for count in [1, 70] {
      let error = await #expect(throws: OperationError.self) {
        try await store.store.perform(Transaction(Array(operations.prefix(count))))
      }
      #expect(error?.reason == .cancelled)
    }
    await #expect(throws: StorageError.cancelled) { try await store.store.keep([]) }
    await store.store.close()
    let reopened = try Store(directory: store.directory)
    #expect(try reopened.makeReader().counts().map(\.count) == [0])
    await reopened.close()
  }
}
