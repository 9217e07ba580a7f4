import GatehouseModel
import GatehouseStorage
import Testing

private func schema(
  a: String = #""a":"int""#, inner: String = #""x":"int""#, c: String = #""c":"int""#, key: String = "int"
) -> String {
  """
  [{"name":"A","primaryKey":"id","properties":{"id":"int",\(a),"home":"Outer","links":"B[]","other":"C"}},
   {"name":"B","primaryKey":"id","properties":{"id":"\(key)"}},
   {"name":"C","properties":{\(c)}},
   {"name":"Outer","embedded":true,"properties":{"inner":"Inner"}},
   {"name":"Inner","embedded":true,"properties":{\(inner)}}]
  """
}

@Test(arguments: [
  (schema(a: #""a":"int","b":"string?""#), true), (schema(a: #""a":"string?""#), true),
  (schema(a: #""better":{"type":"int","mapTo":"a"}"#), true),
  (schema(inner: #""x":"int","y":"int?""#), true), (schema(key: "string"), true),
  (schema(a: #""a":{"type":"int","indexed":true}"#), false), (schema(c: #""c":"int","d":"int?""#), false),
])
func `an object is of another version where the schema has it show something else`(
  change: String, isReshaped: Bool
) async throws {
  let store = try await TemporaryStore(schema())
  try await store.create("A", #"{"id":1,"a":2,"home":{"inner":{"x":1}}}"#)
  let before = try store.object("A", .int(1))
  let version = try await store.apply(change, destructive: true).version
  #expect(version == 3)
  #expect(try store.version("A", .int(1)) == (isReshaped ? 3 : 2))
  if !isReshaped { #expect(try store.object("A", .int(1)) == before) }
  // The version that the client has seen is not the one that it would overwrite.
  let patch = try store.patch("A", .int(1), #"{"other":null}"#, .version([2]))
  if isReshaped {
    await #expect(throws: OperationError.self) { try await store.perform(patch) }
  } else {
    try await store.perform(patch)
  }
  try await store.reopen()
  #expect(try store.version("A", .int(1)) == 3 || !isReshaped)
  _ = try await store.store.perform(Transaction([store.patch("A", .int(1), #"{"home":null}"#, .none)]))
  #expect(try store.version("A", .int(1)) == store.store.version)
  try await store.close()
  #expect(try store.violations() == [])
}
