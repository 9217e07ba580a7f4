import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string"}}]"#

@Test func `a query that takes too long is stopped, and the next one is not`() async throws {
  var options = StoreOptions()
  options.queryTime = 1
  let store = try await TemporaryStore(schema, options: options)
  let many = try (0..<5000).map { try store.creation("A", #"{"id":\#($0),"text":"some text \#($0)"}"#) }
  _ = try await store.store.perform(Transaction(many))
  let slow = QueryRequest(filter: #"text CONTAINS[c] "absent""#)
  #expect(throws: StorageError.timeLimit) { try store.count("A", slow) }
  #expect(throws: StorageError.timeLimit) { try store.page("A", slow) }
  #expect(try store.object("A", .int(7)) == #"{"id":7,"text":"some text 7"}"#)
  #expect(try store.count("A", QueryRequest(filter: "id == 7")) == 1)
}

@Test func `without a limit it takes as long as it takes`() async throws {
  let store = try await TemporaryStore(schema)
  let many = try (0..<5000).map { try store.creation("A", #"{"id":\#($0),"text":"some text \#($0)"}"#) }
  _ = try await store.store.perform(Transaction(many))
  #expect(try store.count("A", QueryRequest(filter: #"text CONTAINS[c] "absent""#)) == 0)
}
