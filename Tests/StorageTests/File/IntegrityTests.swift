import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","link":"A","list":"int[]","set":"int<>","map":"int{}",
    "links":"A[]","e":"E","es":"E[]","m":"mixed","day":"date?"}},
   {"name":"E","embedded":true,"properties":{"n":"int"}}]
  """

private func filled() async throws -> TemporaryStore {
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("A", #"{"id":1}"#),
    store.creation(
      "A",
      """
      {"id":2,"link":1,"list":[1,2,3],"set":[1,2],"map":{"a":1},"links":[1,1],"e":{"n":1},"es":[{"n":2},{"n":3}],
       "m":{"$ref":"A","$id":1}}
      """))
  try await store.perform(store.patch("A", .int(2), #"{"list":[4,5]}"#))
  try await store.close()
  return store
}

@Test func `a whole store has no faults`() async throws {
  #expect(try await filled().violations() == [])
}

@Test(
  arguments: [
    (#"INSERT INTO "A.map" VALUES (99, 'k', 1)"#, [.orphanElements(place: "A.map", count: 1)]),
    ("UPDATE A SET link = 77 WHERE id = 2", [.danglingLinks(place: "A.link", count: 1)]),
    (#"UPDATE "A.links" SET value = 77 WHERE position > 0"#, [.danglingLinks(place: "A.links", count: 1)]),
    ("UPDATE A SET e = NULL", [.embeddedParents(objectType: "E", count: 1)]),
    (
      "UPDATE A SET e = (SELECT min(value) FROM \"A.es\") WHERE id = 2",
      [.embeddedParents(objectType: "E", count: 2)]
    ),
    ("UPDATE _classes SET objects = 5 WHERE name = 'A'", [.wrongCount(objectType: "A", kept: 5, counted: 2)]),
    ("UPDATE _classes SET next_key = 1 WHERE name = 'A'", [.keyReuse(objectType: "A", next: 1, largest: 1)]),
    ("UPDATE A SET _version = 9 WHERE id = 1", [.unknownVersions(objectType: "A", count: 1)]),
    ("DELETE FROM _mixed_links", [.unnotedMixedLinks(place: "A.m", count: 1)]),
    ("UPDATE A SET m = x'99' WHERE id = 2", [.unreadable(place: "A.m", count: 1)]),
    (
      "DELETE FROM _commits WHERE version = 2",
      [.unknownVersions(objectType: "A", count: 1), .missingCommits(1), .changesWithoutCommit(2)]
    ),
    ("UPDATE _meta SET value = 9 WHERE name = 'log_floor'", [.logBeyondLastCommit(7)]),
    ("DELETE FROM _changes WHERE version = 2 AND ordinal = 0", [.unnumberedChanges(1)]),
    ("DELETE FROM _changes WHERE version = 3", [.emptyCommits(1)]),
    ("UPDATE _changes SET after = x'ff' WHERE version = 3", [.unreadableChanges(1)]),
    ("UPDATE _changes SET elements = x'99' WHERE version = 3", [.unreadableChanges(1)]),
    ("UPDATE _changes SET operation = 4611686018427387904 WHERE version = 3", [.unreadableChanges(1)]),
    ("UPDATE A SET id = NULL WHERE id = 1", [.nulls(place: "A.id", count: 1)]),
    ("UPDATE E SET n = 'x' WHERE n = 3", [.unreadable(place: "E.n", count: 1)]),
    (#"UPDATE "A.map" SET value = 'x'"#, [.unreadable(place: "A.map", count: 1)]),
    ("UPDATE A SET day = 'soon' WHERE id = 2", [.unreadable(place: "A.day", count: 1)]),
    ("UPDATE A SET day = 5 WHERE id = 2", [.unreadable(place: "A.day", count: 1)]),
    (#"DROP INDEX "A.id#index"; UPDATE A SET id = 1"#, [.missing("A.id#index")]),
    (#"DROP TABLE "A.map""#, [.missing("A.map")]),
    ("UPDATE _commits SET time = '2023-11-14T22:13:20x' WHERE version = 3", [.unreadableTimes(1)]),
    ("UPDATE _commits SET size = 1 WHERE version = 3", [.sizesShrink(1)]),
    ("UPDATE _commits SET size = 9223372036854775807 WHERE version = 3", [.uncountableSizes(1)]),
    ("UPDATE _commits SET size = -1 WHERE version = 1", [.sizesShrink(1), .uncountableSizes(1)]),
    ("UPDATE _commits SET size = 'x' WHERE version = 3", [.uncountableSizes(1)]),
    ("UPDATE _changes SET id = x'ff' WHERE version = 3", [.unreadableChanges(1)]),
    (#"UPDATE "A.map" SET key = CAST(x'61ff' AS TEXT)"#, [.malformedTexts(place: "A.map (keys)", count: 1)]),
    (#"UPDATE "A.map" SET key = x'61'"#, [.unreadable(place: "A.map (keys)", count: 1)]),
    ("UPDATE A SET m = CAST(x'c3' AS TEXT) WHERE id = 1", [.malformedTexts(place: "A.m", count: 1)]),
    ("UPDATE A SET m = x'0e01000000ff' WHERE id = 1", [.unreadable(place: "A.m", count: 1)]),
    ("UPDATE _commits SET time = '1970-01-01T00:00:00' WHERE version = 3", [.timesGoBack(1)]),
  ] as [(String, [Violation])])
func `what is broken is found`(damage: String, violations: [Violation]) async throws {
  let store = try await filled()
  try Raw.execute(damage, on: store.database)
  #expect(try store.violations() == violations)
}

@Test func `an index that lost an entry is found`() async throws {
  let store = try await filled()
  try Raw.execute(
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE INDEX "A.link#index" ON A (link) WHERE id > 5' WHERE name = 'A.link#index'
    """, on: store.database)
  try Raw.execute("UPDATE A SET link = NULL WHERE id = 2", on: store.database)
  try Raw.execute(
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE INDEX "A.link#index" ON A (link)' WHERE name = 'A.link#index'
    """, on: store.database)
  let violations = try store.violations()
  #expect(!violations.isEmpty)
  #expect(violations.allSatisfy { if case .file = $0 { true } else { false } })
}

@Test func `a directory without a store is told apart`() async throws {
  let store = try await filled()
  let nowhere = store.directory + "/none"
  #expect(throws: StorageError.storeNotFound(nowhere)) { try StoreSnapshot(directory: nowhere) }
}

@Test(
  arguments: [
    ("UPDATE _classes SET next_key = 9223372036854775807 WHERE name = 'A'", "counters of a class"),
    ("UPDATE _classes SET next_key = 9223372036854775806 WHERE name = 'A'", "counters of a class"),
    ("UPDATE _classes SET objects = -1 WHERE name = 'A'", "counters of a class"),
    ("UPDATE _commits SET version = 9223372036854775807 WHERE version = 3", "version"),
    ("UPDATE _commits SET size = 9223372036854775807 WHERE version = 3", "time or size of a commit"),
    ("UPDATE _commits SET time = 'x' WHERE version = 3", "time or size of a commit"),
    ("UPDATE _meta SET value = -1 WHERE name = 'log_floor'", "version"),
  ])
func `numbers that leave no room for the next one keep a store from being opened`(
  damage: String, part: String
) async throws {
  let store = try await filled()
  try Raw.execute(damage, on: store.database)
  #expect(throws: StorageError.corrupt(part)) { _ = try Store(directory: store.directory) }
}

@Test func `a store that counts fewer objects than there are deletes none of them, and can be opened again`()
  async throws
{
  let store = try await filled()
  try Raw.execute("UPDATE _classes SET objects = 1 WHERE name = 'A'", on: store.database)
  try await store.reopen()
  try await store.perform(.delete(objectType: "A", id: .int(2), precondition: .none))
  await #expect(throws: OperationError(operation: 0, reason: .corrupt("number of objects"))) {
    try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
  }
  try await store.reopen()
  #expect(try store.violations() == [.wrongCount(objectType: "A", kept: 0, counted: 1)])
}

@Test func `an embedded object inside of itself is neither read, nor changed, nor deleted`() async throws {
  let store = try await TemporaryStore(
    """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","e":"E"}},
     {"name":"E","embedded":true,"properties":{"n":"int","e":"E"}}]
    """)
  try await store.create("A", #"{"id":1,"e":{"n":1,"e":{"n":2}}}"#)
  try Raw.execute("UPDATE E SET e = _key WHERE n = 2", on: store.database)
  let corrupt = StorageError.corrupt("embedded objects")
  #expect(throws: corrupt) { try store.object("A", .int(1)) }
  let path = try ResourcePath(["e", "e", "n"], of: store.type("A"), in: store.store.schema)
  for operation in [
    .change(
      objectType: "A", id: .int(1), path: path, change: .assign(.value(.int(3))), precondition: .none),
    .delete(objectType: "A", id: .int(1), precondition: .none),
  ] as [GatehouseStorage.Operation] {
    await #expect(throws: OperationError(operation: 0, reason: corrupt)) {
      try await store.perform(operation)
    }
  }
}

@Test func `texts that are not UTF-8 leave the store as UTF-8`() async throws {
  let store = try await TemporaryStore(
    #"[{"name":"A","properties":{"text":"string","texts":"string[]","map":"string{}","thing":"mixed"}}]"#)
  try await store.create("A", #"{"text":"a","texts":["a"],"map":{"k":"a"},"thing":"a"}"#)
  try await store.close()
  try Raw.execute(
    """
    UPDATE A SET text = CAST(x'61ff' AS TEXT), thing = CAST(x'61c3' AS TEXT);
    UPDATE "A.texts" SET value = CAST(x'61ff' AS TEXT);
    UPDATE "A.map" SET key = CAST(x'6bff' AS TEXT), value = CAST(x'ff' AS TEXT)
    """, on: store.database)
  try await store.reopen()
  #expect(
    try store.page("A", QueryRequest(selection: FieldSelection(fields: "text,texts,map,thing"))).objects == [
      #"{"text":"a\#u{FFFD}","texts":["a\#u{FFFD}"],"map":{"k\#u{FFFD}":"\#u{FFFD}"},"thing":"a\#u{FFFD}"}"#
    ])
  #expect(
    try store.violations() == [
      .malformedTexts(place: "A.text", count: 1), .malformedTexts(place: "A.texts", count: 1),
      .malformedTexts(place: "A.map", count: 1), .malformedTexts(place: "A.map (keys)", count: 1),
      .malformedTexts(place: "A.thing", count: 1),
    ])
}
