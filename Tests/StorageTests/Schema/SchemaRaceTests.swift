import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

/// Requests that were made for a schema that has changed since.
@Suite struct SchemaRaceTests {
  private static let schema =
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int","a":"int","b":"int"}}]"#
  /// The same properties at other places.
  private static let other =
    #"[{"name":"A","primaryKey":"id","properties":{"b":"int","a":"int","id":"int"}}]"#

  @Test func `a transaction made for another schema is refused`() async throws {
    let store = try await TemporaryStore(Self.schema)
    var transaction = Transaction([try store.creation("A", #"{"id":1,"a":2,"b":3}"#)])
    transaction.generation = store.store.schemaState.generation
    _ = try await store.apply(Self.other)
    let shared = store.store
    let stale = transaction
    await #expect(throws: OperationError(operation: 0, reason: .schemaChanged)) {
      try await shared.perform(stale)
    }
    await #expect(throws: OperationError(operation: 0, reason: .schemaChanged)) {
      try await shared.load(idempotency: nil, generation: stale.generation) { nil }
    }
    #expect(try store.counts() == ["A": 0])
    transaction = Transaction([try store.creation("A", #"{"id":1,"a":2,"b":3}"#)])
    transaction.generation = store.store.schemaState.generation
    _ = try await store.store.perform(transaction)
    #expect(try store.object("A", .int(1)) == #"{"b":3,"a":2,"id":1}"#)
  }

  @Test func `a schema made from another one is refused`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let generation = store.store.schemaState.generation
    _ = try await store.apply(Self.other)
    let schema = try Schema(notation: Value(json: Self.schema))
    let shared = store.store
    await #expect(throws: StorageError.schemaChanged) {
      try await shared.apply(schema, destructive: false, generation: generation)
    }
    #expect(store.store.schema.objectTypes[0].properties.map(\.name) == ["b", "a", "id"])
  }

  @Test func `links inside mixed values become null with the class that they lead to`() async throws {
    let mixed = #"{"name":"M","primaryKey":"id","properties":{"id":"int","one":"mixed","many":"mixed[]"}}"#
    let store = try await TemporaryStore(Self.schema.dropLast() + "," + mixed + "]")
    try await store.create("A", #"{"id":1,"a":2,"b":3}"#)
    let link = #"{"$ref":"A","$id":1}"#
    let own = #"{"$ref":"M","$id":1}"#
    try await store.create("M", #"{"id":1,"one":[1,\#(link),\#(own)],"many":[\#(link),7,{"k":\#(link)}]}"#)
    #expect(
      try store.object("M", .int(1))
        == #"{"id":1,"one":[1,\#(link),\#(own)],"many":[\#(link),7,{"k":\#(link)}]}"#)
    _ = try await store.apply("[\(mixed)]", destructive: true)
    #expect(try store.object("M", .int(1)) == #"{"id":1,"one":[1,null,\#(own)],"many":[null,7,{"k":null}]}"#)
    #expect(try store.violations() == [])
    // A new class of that name has nothing to do with the old one.
    _ = try await store.apply(Self.schema.dropLast() + "," + mixed + "]")
    try await store.create("A", #"{"id":9,"a":2,"b":3}"#)
    try await store.perform(.delete(objectType: "A", id: .int(9), precondition: .none))
    #expect(try store.violations() == [])
  }
}
