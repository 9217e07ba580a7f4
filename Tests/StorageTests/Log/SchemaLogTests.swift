import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

private let before = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","old":"string","m":"mixed"}}]"#
private let after =
  #"[{"name":"A","primaryKey":"id","properties":{"id":"int","new":"string","m":"mixed"}}]"#

@Test func `a change of the schema is a commit that says what it was and is`() async throws {
  let store = try await TemporaryStore(#"[{"name":"A","properties":{"x":"int"}}]"#)
  let extended = #"[{"name":"A","properties":{"x":"int","y":{"type":"int","default":7}}}]"#
  try await store.create("A", #"{"x":1}"#)
  let applied = try await store.apply(extended)
  #expect((applied.version, applied.changed) == (3, true))
  let again = try await store.apply(extended)
  #expect((again.version, again.changed) == (3, false))
  let (changes, next, _) = try store.changes(from: .after(LogPosition(version: 2)))
  #expect(
    changes == [
      #"{"version":3,"n":0,"time":"2023-11-14T22:13:20Z","operation":"schema","#
        + #""before":[{"name":"A","properties":{"x":"int"}}],"#
        + #""after":[{"name":"A","properties":{"x":"int","y":{"type":"int","default":7}}}]}"#
    ])
  #expect(next == "3")
  // The default of the new property came with the commit.
  #expect(try store.object("A", .int(0)) == #"{"_key":0,"x":1,"y":7}"#)
}

@Test func `a property that is renamed keeps its values`() async throws {
  let store = try await TemporaryStore(before)
  try await store.create("A", #"{"id":1,"old":"kept"}"#)
  try await store.perform(
    store.creation("A", #"{"id":2,"old":"links","m":{"$ref":"A","$id":1}}"#))
  let schema = try Schema(notation: Value(json: after))
  let rename = PropertyRename(objectType: "A", from: "old", to: "new")
  #expect(try await store.store.apply(schema, destructive: false, renames: [rename]).changed)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"new":"kept","m":null}"#)
  // Once more is no change, though there is nothing left to rename.
  #expect(try await !store.store.apply(schema, destructive: false, renames: [rename]).changed)
  #expect(try store.violations() == [])
}

@Test func `without the rename the same schema would lose data`() async throws {
  let store = try await TemporaryStore(before)
  await #expect(throws: StorageError.self) { try await store.apply(after) }
}

@Test(arguments: [
  ("B", "old", "new"), ("A", "none", "new"), ("A", "old", "none"), ("A", "id", "new"), ("A", "old", "id"),
])
func `a rename that makes no sense is refused`(objectType: String, from: String, to: String) async throws {
  let store = try await TemporaryStore(before)
  let schema = try Schema(notation: Value(json: after))
  let rename = PropertyRename(objectType: objectType, from: from, to: to)
  await #expect(throws: StorageError.invalidRename(rename)) {
    try await store.store.apply(schema, destructive: true, renames: [rename])
  }
  #expect(store.store.version == 1)
}

@Test func `the notes of links in mixed values follow the property's stored name`() async throws {
  let store = try await TemporaryStore(before)
  try await store.perform(
    store.creation("A", #"{"id":1,"old":""}"#),
    store.creation("A", #"{"id":2,"old":"","m":{"$ref":"A","$id":1}}"#))
  let renamed =
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int","old":"string","m":{"type":"mixed","mapTo":"n"}}}]"#
  _ = try await store.apply(renamed)
  #expect(try store.violations() == [])
  try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
  #expect(try store.object("A", .int(2)) == #"{"id":2,"old":"","m":null}"#)
}

@Test func `embedded objects go with the properties that held them`() async throws {
  let store = try await TemporaryStore(
    """
    [{"name":"A","properties":{"one":"E","many":"E[]","x":"int"}},
     {"name":"E","embedded":true,"properties":{"n":"int","list":"int[]","inner":"F"}},
     {"name":"F","embedded":true,"properties":{"n":"int"}}]
    """)
  let embedded = #"{"n":1,"list":[1,2],"inner":{"n":2}}"#
  try await store.create("A", #"{"x":1,"one":\#(embedded),"many":[\#(embedded),\#(embedded)]}"#)
  _ = try await store.apply(
    """
    [{"name":"A","properties":{"one":"E","x":"int"}},
     {"name":"E","embedded":true,"properties":{"n":"int","list":"int[]","inner":"F"}},
     {"name":"F","embedded":true,"properties":{"n":"int"}}]
    """, destructive: true)
  #expect(try store.violations() == [])
  let raw = try Raw(store.database)
  #expect(try raw.integer("SELECT count(*) FROM E") == 1)
  #expect(try raw.integer("SELECT count(*) FROM F") == 1)
  #expect(try raw.integer(#"SELECT count(*) FROM "E.list""#) == 2)
}
