import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"Person","primaryKey":"name","properties":{"name":"string","friend":"Person?","home":"Home?",
    "homes":"Home[]","rooms":"Home{}","admirers":{"type":"linkingObjects","objectType":"Person","property":"friend"}}},
   {"name":"Home","embedded":true,"properties":{"owner":"Person?","owners":"Person[]","keys":"Person{}"}},
   {"name":"Log","properties":{"text":"string?"}}]
  """

@Test func `object keys are never used again, after a restart either`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("Log", "{}"), store.creation("Log", "{}"), store.creation("Log", "{}"))
  try await store.perform(.delete(objectType: "Log", id: .int(2), precondition: .none))
  try await store.perform(.delete(objectType: "Log", id: .int(1), precondition: .none))
  try await store.reopen()
  #expect(try await store.create("Log", "{}").results[0].id == .int(3))
  try await store.perform(.delete(objectType: "Log", id: .int(3), precondition: .none))
  try await store.reopen()
  #expect(try await store.create("Log", "{}").results[0].id == .int(4))
}

@Test(arguments: [(1 << 62) - 1, 1 << 62] as [Int64])
func `a store opens, and changes its schema, where the largest key was named`(key: Int64) async throws {
  let store = try await TemporaryStore(schema)
  #expect(try await store.create("Log", #"{"_key":\#(key)}"#).results[0].id == .int(key))
  try await store.reopen()
  #expect(try await store.create("Log", "{}").results[0].id == .int(key + 1))
  let more = schema.replacing(#""text":"string?""#, with: #""text":"string?","more":"int?""#)
  #expect(try await store.apply(more).changed)
  #expect(try await store.create("Log", "{}").results[0].id == .int(key + 2))
  try await store.reopen()
  #expect(try store.object("Log", .int(key)) == #"{"_key":\#(key),"text":null,"more":null}"#)
}

@Test func `a new object with an old primary key is not the one that was linked to`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("Person", #"{"name":"T"}"#), store.creation("Person", #"{"name":"A","friend":"T"}"#))
  try await store.perform(
    .delete(objectType: "Person", id: .string("T"), precondition: .none),
    store.creation("Person", #"{"name":"T"}"#))
  #expect(
    try store.object("Person", .string("A"))
      == #"{"name":"A","friend":null,"home":null,"homes":[],"rooms":{}}"#)
}

@Test func `links from embedded objects are taken out, and their owners change`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("Person", #"{"name":"T"}"#),
    store.creation(
      "Person",
      """
      {"name":"A","home":{"owner":"T","owners":["T","A","T"],"keys":{"k":"T"}},
       "homes":[{"owners":["T"]}],"rooms":{"r":{"owner":"T"}}}
      """))
  let commit = try await store.perform(.delete(objectType: "Person", id: .string("T"), precondition: .none))
  #expect(
    try store.object("Person", .string("A")) == """
      {"name":"A","friend":null,"home":{"owner":null,"owners":["A"],"keys":{"k":null}},\
      "homes":[{"owner":null,"owners":[],"keys":{}}],\
      "rooms":{"r":{"owner":null,"owners":[],"keys":{}}}}
      """)
  #expect(try store.version("Person", .string("A")) == commit.version)
}

@Test func `what a plan deletes is taken out of the links of what stays`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("Person", #"{"name":"A","friend":"B"}"#),
    store.creation("Person", #"{"name":"B","friend":"C"}"#),
    store.creation("Person", #"{"name":"C","friend":"A"}"#))
  let plan = try Plan(
    request: QueryRequest(filter: #"friend.name != "B""#), schema: store.store.schema, objectType: "Person")
  let commit = try await store.perform(.each(plan, .delete))
  #expect(commit.results[0].count == 2)
  #expect(commit.results[0].effect == .deleted)
  #expect(
    try store.object("Person", .string("A"))
      == #"{"name":"A","friend":null,"home":null,"homes":[],"rooms":{}}"#)
  #expect(try store.counts()["Person"] == 1)
}

@Test func `a idempotency is good for a day`() async throws {
  let store = try await TemporaryStore(schema)
  let creation = try store.creation("Log", "{}")
  let idempotency = IdempotencyRecord(key: "k", fingerprint: .max) { commit in [UInt8(commit.version)] }
  let transaction = Transaction([creation], idempotency: idempotency)
  let first = try await store.store.perform(transaction)
  #expect(first.repeated == nil)
  let second = try await store.store.perform(transaction)
  #expect(second.repeated == [UInt8(first.version)])
  #expect(second.results.isEmpty)
  let other = IdempotencyRecord(key: "k", fingerprint: 1) { _ in [] }
  await #expect(throws: OperationError(operation: 0, reason: .idempotencyKeyReused)) {
    try await store.store.perform(Transaction([creation], idempotency: other))
  }
  #expect(try store.counts()["Log"] == 1)
  // The clock of a store that was opened again shows today.
  try await store.reopen()
  let later = try await store.store.perform(Transaction([creation], idempotency: other))
  #expect(later.repeated == nil)
  #expect(try store.counts()["Log"] == 2)
}
