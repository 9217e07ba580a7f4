import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Glibc
import Synchronization
import Testing

private let schema = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string"}}]"#

/// Readers that never leave the log all at once would keep it from beginning anew.
@Test func `the write-ahead log stays bounded while readers never pause`() async throws {
  var options = StoreOptions()
  options.writeAheadSize = 8 << 20
  let store = try await TemporaryStore(schema, options: options)
  let text = String(repeating: "x", count: 10_000)
  let many = try (0..<200).map { try store.creation("A", #"{"id":\#($0),"text":"\#(text)"}"#) }
  _ = try await store.store.perform(Transaction(many))
  let flag = Flag()
  let file = store.database + "-wal"
  let largest = try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<3 {
      let reader = try Readers(store.store)
      group.addTask {
        while !flag.isDone.load(ordering: .relaxed) {
          try reader.readAll()
          await Task.yield()
        }
      }
    }
    var largest = 0
    for round in 0..<40 {
      let patches = try (0..<100).map { id in
        try store.patch("A", .int(Int64(id)), #"{"text":"\#(round) \#(text)"}"#)
      }
      _ = try await store.store.perform(Transaction(patches))
      var status = stat()
      if stat(file, &status) == 0 { largest = max(largest, Int(status.st_size)) }
    }
    flag.isDone.store(true, ordering: .relaxed)
    try await group.waitForAll()
    return largest
  }
  // More than 100 MB went through it: each commit writes the objects and their images.
  #expect(largest < 24 << 20, "\(largest)")
  #expect(try store.violations() == [])
}

/// A reader that one task uses. `@unchecked Sendable`. Because only that task does.
private final class Readers: @unchecked Sendable {
  private let reader: Reader
  private let plan: Plan

  init(_ store: Store) throws {
    reader = try store.makeReader()
    plan = try Plan(request: QueryRequest(), schema: store.schema, objectType: "A")
  }

  func readAll() throws {
    var bytes: [UInt8] = []
    _ = try reader.page(plan, as: .json, framing: .sequence, into: &bytes)
  }
}
