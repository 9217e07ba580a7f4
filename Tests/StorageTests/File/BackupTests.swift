import GatehouseModel
import GatehouseStorage
import Glibc
import Testing

private let schema = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","price":"decimal128"}}]"#

@Test func `a backup is the store of one moment, and a store of its own`() async throws {
  let store = try await TemporaryStore(schema)
  let many = try (0..<5000).map { try store.creation("A", #"{"id":\#($0),"price":"\#($0).50"}"#) }
  _ = try await store.store.perform(Transaction(many))
  let snapshot = try StoreSnapshot(directory: store.directory)
  // Commits after that moment are not in the copy, though it is made later.
  try await store.create("A", #"{"id":9999,"price":"1"}"#)
  let copy = store.directory + "-copy"
  mkdir(copy, 0o700)
  defer { remove(copy) }
  var reports: [Int] = []
  try snapshot.copy(to: "\(copy)/gatehouse.db") { done, total in
    reports.append(done)
    #expect(done <= total)
  }
  #expect(reports == reports.sorted() && !reports.isEmpty)
  #expect(try snapshot.version() == 2)
  #expect(try StoreSnapshot(directory: copy).check { _, _ in } == [])
  let restored = try Store(directory: copy)
  #expect(restored.version == 2)
  #expect(try restored.makeReader().counts().map(\.count) == [5000])
  await restored.close()
  #expect(try store.counts() == ["A": 5001])
}

@Test func `a backup that fails leaves nothing`() async throws {
  let store = try await TemporaryStore(schema)
  let copy = store.directory + "/gatehouse.db/x"
  let snapshot = try StoreSnapshot(directory: store.directory)
  #expect(throws: StorageError.self) { try snapshot.copy(to: copy) { _, _ in } }
}

@Test func `compaction gives back room and loses nothing`() async throws {
  let store = try await TemporaryStore(schema)
  let many = try (0..<3000).map { try store.creation("A", #"{"id":\#($0),"price":"1"}"#) }
  _ = try await store.store.perform(Transaction(many))
  let deletions = (1..<3000).map { Operation.delete(objectType: "A", id: .int($0), precondition: .none) }
  _ = try await store.store.perform(Transaction(deletions))
  try Raw.execute("DELETE FROM _changes WHERE version < 3", on: store.database)
  #expect(throws: StorageError.self) { try Compaction.run(directory: store.directory) }
  try await store.close()
  let outcome = try Compaction.run(directory: store.directory)
  #expect(outcome.sizeAfter < outcome.sizeBefore)
  try await store.reopen()
  #expect(try store.object("A", .int(0)) == #"{"id":0,"price":"1"}"#)
  #expect(try store.counts() == ["A": 1])
}

@Test func `a store is compacted while others read and write`() async throws {
  let store = try await TemporaryStore(schema)
  let many = try (0..<3000).map { try store.creation("A", #"{"id":\#($0),"price":"1"}"#) }
  _ = try await store.store.perform(Transaction(many))
  let deletions = (1..<3000).map { Operation.delete(objectType: "A", id: .int($0), precondition: .none) }
  _ = try await store.store.perform(Transaction(deletions))
  let pin = try store.store.pin()
  let file = store.store
  let compaction = Task { try await file.compact() }
  for id in 5000..<5100 {
    try await store.create("A", #"{"id":\#(id),"price":"2"}"#)
    if id % 10 == 0 { #expect(try store.object("A", .int(0)) == #"{"id":0,"price":"1"}"#) }
  }
  let sizes = try await compaction.value
  #expect(sizes.sizeAfter < sizes.sizeBefore)
  #expect(pin.version < store.store.version)
  #expect(try store.counts() == ["A": 101])
  #expect(try store.object("A", .int(5099)) == #"{"id":5099,"price":"2"}"#)
  #expect(try store.violations() == [])
  try await store.reopen()
  #expect(try store.counts() == ["A": 101])
  #expect(try store.violations() == [])
}

/// Removes a data directory.
private func remove(_ directory: String) {
  for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
    unlink("\(directory)/\(name)")
  }
  rmdir(directory)
}
