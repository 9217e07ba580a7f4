import GatehouseModel
import GatehouseStorage
import Testing

/// Transactions that only show what they would do, and reads of a state that is held.
struct TrialTests {
  private static let schema = """
    [{"name": "Dog", "primaryKey": "id", "properties": {"id": "int", "name": "string"}}]
    """

  @Test func `a trial has the results of a transaction, and leaves nothing`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"id": 1, "name": "Rex"}"#)
    let version = try temporary.store.pin().version
    var trial = Transaction(
      [try temporary.patch("Dog", .int(1), #"{"name": "Max"}"#)], returning: .json)
    trial.isTrial = true
    let first = try await temporary.store.perform(trial)
    #expect(first.results[0].effect == .updated)
    #expect(first.results[0].object.map { String(decoding: $0, as: UTF8.self) } == #"{"id":1,"name":"Max"}"#)
    #expect(try temporary.store.pin().version == version)
    // A later transaction is as if it had not been.
    trial.isTrial = false
    let second = try await temporary.store.perform(trial)
    #expect(second.version == version + 1 && second.results[0].effect == .updated)
  }

  @Test func `a trial beside other transactions of a group takes nothing from them`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let store = temporary.store
    let operations = try (1...40).map { try temporary.creation("Dog", #"{"id": \#($0), "name": "x"}"#) }
    try await withThrowingTaskGroup { group in
      for (index, operation) in operations.enumerated() {
        var transaction = Transaction([operation])
        transaction.isTrial = index % 2 == 1
        group.addTask { [transaction] in _ = try await store.perform(transaction) }
      }
      try await group.waitForAll()
    }
    let ids = try await store.read { reader in
      try (1...40).filter { try reader.version("Dog", id: .int(Int64($0))) != nil }
    }
    #expect(ids == (1...40).filter { $0 % 2 == 1 })
  }

  @Test func `a pinned reader goes on to see the store as it was`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"id": 1, "name": "Rex"}"#)
    let pinned = try await temporary.store.read { try PinnedReader(beside: $0) }
    try await temporary.create("Dog", #"{"id": 2, "name": "Max"}"#)
    let counts = try await temporary.store.read { reader in
      try (pinned.read(as: reader) { try $0.counts()[0].count }, reader.counts()[0].count)
    }
    #expect(counts == (1, 2))
  }
}
