import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

@testable import GatehouseTriggers

/// Triggers of a store that begins to lead while its log takes nothing.
@Suite struct TriggerRetryTests {
  private final class Log: TransactionLog {
    let isDown = Atomic(false)
    let isHeld = Atomic(false)
    /// Whether it has been asked to append something while it was held.
    let isWaitedFor = Atomic(false)
    private let count = Atomic<UInt64>(0)
    let isDurable = true

    func append(_ part: TransactionPart) throws(TransactionLogError) -> ReplicationPoint {
      for _ in 0..<30_000 where isHeld.load(ordering: .relaxed) {
        isWaitedFor.store(true, ordering: .relaxed)
        usleep(1_000)
      }
      if isDown.load(ordering: .relaxed) { throw .unavailable }
      return ReplicationPoint(sequence: count.add(1, ordering: .relaxed).newValue)
    }

    func didNotCommit(_ point: ReplicationPoint) {}
  }

  /// A store that leads, with a class of notes.
  private func store(in folder: String, _ log: Log) async throws -> Store {
    var options = StoreOptions()
    options.log = log
    let store = try Store(directory: folder, options: options)
    try await store.lead()
    let notation = #"[{"name":"Note","primaryKey":"_id","properties":{"_id":"int"}}]"#
    _ = try await store.apply(Schema(notation: Value(json: notation)), destructive: false)
    return store
  }

  @Test func `triggers that could not begin do so once the log takes where they are`() async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let log = Log()
    let store = try await store(in: folder, log)
    let calls = TriggerRunnerTests.Calls()
    let runner = TriggerRunner(
      store, metrics: Registry(), pause: { _ in try await Task.sleep(for: .milliseconds(1)) },
      TriggerActions { (invocation) async throws(FunctionError) in try calls.call(invocation) })
    log.isDown.store(true, ordering: .relaxed)
    let trigger = Trigger("t", on: .changes(WatchedChanges(of: "Note")), calls: "f")
    await #expect(throws: StorageError.self) { try await runner.use([trigger]) }
    #expect(await runner.statuses().isEmpty)
    log.isDown.store(false, ordering: .relaxed)
    for _ in 0..<30_000 {
      if await !runner.statuses().isEmpty { break }
      try await Task.sleep(for: .milliseconds(1))
    }
    let type = try #require(store.schema["Note"])
    let draft = try type.draft(from: Value(json: #"{"_id":1}"#), in: store.schema, mode: .create)
    _ = try await store.perform(
      Transaction([.create(objectType: "Note", draft: draft, policy: .error)]))
    #expect(
      await calls.events(1) == [
        #"{"operationType":"insert","documentKey":{"_id":1},"fullDocument":{"_id":1}}"#
      ])
    await runner.close()
    await store.close()
  }

  @Test func `a trigger that is beginning when all are ended does not run on`() async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let log = Log()
    let store = try await store(in: folder, log)
    let runner = TriggerRunner(
      store, metrics: Registry(), TriggerActions { (_) async throws(FunctionError) in .null })
    log.isHeld.store(true, ordering: .relaxed)
    let beginning = Task {
      try await runner.use([Trigger("t", on: .changes(WatchedChanges(of: "Note")), calls: "f")])
    }
    for _ in 0..<30_000 where !log.isWaitedFor.load(ordering: .relaxed) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let ending = Task { await runner.close() }
    try await Task.sleep(for: .milliseconds(50))
    log.isHeld.store(false, ordering: .relaxed)
    try await beginning.value
    await ending.value
    #expect(await runner.statuses().isEmpty)
    await store.close()
  }
}
