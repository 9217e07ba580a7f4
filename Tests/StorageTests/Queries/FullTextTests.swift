import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"Note","primaryKey":"id","properties":{"id":"int","text":{"type":"string?","indexed":"full-text"},
    "of":"Note?","parts":"Note[]"}}]
  """

private let notes = [
  #"{"id":1,"text":"The quick brown fox, and the Quick-Fix"}"#,
  #"{"id":2,"text":"Ångström met Æsop in Malmö; naïve cafés","of":1}"#,
  #"{"id":3,"text":"","parts":[1,2]}"#,
  #"{"id":4,"text":null,"of":2,"parts":[4]}"#,
  #"{"id":5,"text":"quicksand foxes","parts":[1]}"#,
]

private func filled(_ schema: String = schema) async throws -> TemporaryStore {
  let store = try await TemporaryStore(schema)
  // Forward, so that links find their targets.
  _ = try await store.store.perform(Transaction(try notes.map { try store.creation("Note", $0) }))
  return store
}

private func ids(_ store: TemporaryStore, _ filter: String) throws -> [Int] {
  let page = try store.page("Note", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
  return page.objects.compactMap { Int($0.dropFirst(6).dropLast()) }
}

private let searches: [(filter: String, expected: [Int])] = [
  ("text TEXT 'quick'", [1]), ("text TEXT 'quick*'", [1, 5]), ("text TEXT 'QUICK fox'", [1]),
  ("text TEXT 'fox* -brown'", [5]), ("text TEXT '-quick'", [2, 3, 5]),
  ("NOT text TEXT 'quick'", [2, 3, 4, 5]),
  ("NOT text TEXT '-quick'", [1, 4]), ("text TEXT 'ångström aesop'", []), ("text TEXT 'ÅNGSTROM'", [2]),
  ("text TEXT 'æsop malmo naive cafes'", [2]), ("text TEXT 'fi* th* br*'", [1]), ("text TEXT 'absent'", []),
  ("of.text TEXT 'fox'", [2]), ("NOT of.text TEXT 'fox'", [1, 3, 4, 5]), ("of.of.text TEXT 'fox'", [4]),
  ("ANY parts.text TEXT 'fox'", [3, 5]), ("ANY parts.text TEXT '-fox'", [3]),
  ("NOT ANY parts.text TEXT 'fox'", [1, 2, 4]), ("text TEXT 'quick' OR of.text TEXT 'cafes'", [1, 4]),
  ("SUBQUERY(parts, $p, $p.text TEXT 'fox').@count == 1", [3, 5]), ("parts[0].text TEXT 'fox'", [3, 5]),
]

@Test(arguments: searches)
func `words are found as the tokenizer cuts and folds them`(filter: String, expected: [Int]) async throws {
  #expect(try ids(try await filled(), filter) == expected)
}

@Test func `words follow what is written, changed and deleted`() async throws {
  let store = try await filled()
  try await store.perform(store.patch("Note", .int(1), #"{"text":"slow snail"}"#))
  #expect(try ids(store, "text TEXT 'quick*'") == [5])
  #expect(try ids(store, "text TEXT 'snail'") == [1])
  try await store.perform(store.patch("Note", .int(1), #"{"text":null}"#))
  #expect(try ids(store, "text TEXT 'snail'") == [])
  try await store.perform(.delete(objectType: "Note", id: .int(5), precondition: .none))
  #expect(try ids(store, "text TEXT 'quick*'") == [])
  #expect(try StoreSnapshot(directory: store.directory).check { _, _ in }.isEmpty)
}

@Test func `a transaction that fails leaves no words`() async throws {
  let store = try await filled()
  let failing = Transaction([
    try store.creation("Note", #"{"id":6,"text":"ghost"}"#), try store.creation("Note", notes[0]),
  ])
  await #expect(throws: OperationError.self) { try await store.store.perform(failing) }
  #expect(try ids(store, "text TEXT 'ghost'") == [])
  #expect(try StoreSnapshot(directory: store.directory).check { _, _ in }.isEmpty)
}

@Test func `the index is built for objects that are there, and goes with its property`() async throws {
  let plain =
    #"[{"name":"Note","primaryKey":"id","properties":{"id":"int","text":"string?","of":"Note?","parts":"Note[]"}}]"#
  let store = try await filled(plain)
  #expect(throws: QueryError.fullTextIndexMissing(offset: 5)) { try ids(store, "text TEXT 'quick'") }
  _ = try await store.apply(schema)
  #expect(try ids(store, "text TEXT 'quick*'") == [1, 5])
  _ = try await store.apply(plain)
  #expect(try Raw(store.database).texts("SELECT name FROM sqlite_schema WHERE name LIKE '%words%'") == [])
  _ = try await store.apply(schema)
  let without =
    #"[{"name":"Note","primaryKey":"id","properties":{"id":"int","of":"Note?","parts":"Note[]"}}]"#
  _ = try await store.apply(without, destructive: true)
  #expect(try Raw(store.database).texts("SELECT name FROM sqlite_schema WHERE name LIKE '%words%'") == [])
  _ = try await store.apply("[]", destructive: true)
  #expect(try Raw(store.database).texts("SELECT name FROM sqlite_schema WHERE name LIKE 'Note%'") == [])
}

@Test func `a check tells of words that are missing or too many`() async throws {
  let store = try await filled()
  try await store.close()
  try Raw.execute(
    #"DELETE FROM "Note.text.words" WHERE word = 'brown'; INSERT INTO "Note.text.words" VALUES ('ghost', 3)"#,
    on: store.database)
  #expect(
    try StoreSnapshot(directory: store.directory).check { _, _ in }
      == [.wrongWords(place: "Note.text", count: 2)])
}

@Test func `the longest whole word finds the objects`() async throws {
  let store = try await filled()
  let plan = try Plan(
    request: QueryRequest(filter: "text TEXT 'fox quick'"), schema: store.store.schema, objectType: "Note")
  let explanation = try store.reading.explain(plan)
  #expect(explanation.inMemory == [])
  #expect(explanation.indexes == ["Note.text.words"])
  #expect(explanation.steps.contains { $0.hasPrefix("SEARCH t1 USING PRIMARY KEY (word=?)") })
  #expect(explanation.steps.first == "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)")
}
