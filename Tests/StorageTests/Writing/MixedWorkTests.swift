import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

/// Limits of the cost of changes inside mixed values in one transaction.
@Suite struct MixedWorkTests {
  /// A mixed value is written as a whole, so that each of many small operations costs as much as the value is large.
  @Test func `a transaction reads and writes mixed values again for so many bytes, and no more`() async throws
  {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","any":"mixed"}}]"#)
    // The list has 4 MiB as it is stored: a byte before it and behind it, five before the text.
    let text = String(repeating: "x", count: (4 << 20) - 7)
    try await store.create("A", #"{"id":1,"any":["\#(text)"]}"#)
    let path = try ResourcePath(["any"], of: store.type("A"), in: store.store.schema)
    let same = Operation.change(
      objectType: "A", id: .int(1), path: path, change: .move(from: 0, to: 0), precondition: .none)
    _ = try await store.store.perform(Transaction(Array(repeating: same, count: 32)))
    let before = store.store.version
    await #expect(
      throws: OperationError(
        operation: 32, reason: .invalid(ValidationError([ValidationProblem(pointer: "", .tooMuchWork)])))
    ) {
      try await store.store.perform(Transaction(Array(repeating: same, count: 33)))
    }
    #expect(store.store.version == before)
    // The cost of one transaction does not count for the next.
    _ = try await store.store.perform(Transaction([same]))
  }
}
