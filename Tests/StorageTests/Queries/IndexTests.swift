import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private func schema(_ indexes: String, name: String = "name") -> String {
  """
  [{"name":"City","primaryKey":"id","properties":{"id":"int","\(name)":{"type":"string","mapTo":"title"},
    "NAME":"string?","population":"int?","tags":"string<>"},"indexes":[\(indexes)]}]
  """
}

private let two = #"{"properties":["name","-population"]},{"properties":["name.@folded"]}"#

private func indexes(_ store: TemporaryStore) throws -> [String] {
  try Raw(store.database).texts(
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%(%' ORDER BY 1")
    + Raw(store.database).texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%value' ORDER BY 1")
}

@Test func `indexes come, stay and go with the schema, with objects there`() async throws {
  let store = try await TemporaryStore(schema(""))
  try await store.create("City", #"{"id":1,"name":"Ärger","NAME":null,"population":3,"tags":["a"]}"#)
  #expect(try indexes(store) == [])
  _ = try await store.apply(schema(two))
  #expect(try indexes(store) == ["City.(title ASC.population DESC)", "City.(title folded ASC)"])
  try await store.create("City", #"{"id":2,"name":"ärger","NAME":"x","population":4,"tags":["b","a"]}"#)
  let found = try store.page(
    "City", QueryRequest(filter: "name ==[c] 'ÄRGER'", selection: FieldSelection(fields: "id"))
  ).objects
  #expect(found == [#"{"id":1}"#, #"{"id":2}"#])
  _ = try await store.apply(
    schema(#"{"properties":["name.@folded"]},{"properties":["tags"]},{"properties":["NAME"]}"#))
  #expect(try indexes(store) == ["City.(NAME ASC)", "City.(title folded ASC)", "City.tags.value"])
  #expect(try StoreSnapshot(directory: store.directory).check { _, _ in }.isEmpty)
  try await store.reopen()
  _ = try await store.apply(schema(""))
  #expect(try indexes(store) == [])
}

@Test func `an index goes before the property that it needs, and follows one that is renamed`() async throws {
  let store = try await TemporaryStore(schema(two))
  _ = try await store.apply(schema(two.split(separator: "name").joined(separator: "label"), name: "label"))
  #expect(try indexes(store) == ["City.(title ASC.population DESC)", "City.(title folded ASC)"])
  let without = #"[{"name":"City","primaryKey":"id","properties":{"id":"int"}}]"#
  _ = try await store.apply(without, destructive: true)
  #expect(try indexes(store) == [])
}

@Test(arguments: [
  "name ==[c] 'köln'", "name !=[c] 'köln'", "NOT name ==[c] 'KÖLN'", "name BEGINSWITH[c] 'kÖ'",
  "NOT name BEGINSWITH[c] 'k'", "NAME ==[c] 'köln'", "NAME !=[c] 'köln'", "NAME BEGINSWITH[c] ''",
  "NOT NAME BEGINSWITH[c] 'k'", "NAME ==[c] null", "NAME BEGINSWITH[c] 'KÖLN' OR population == 2",
  "ANY tags ==[c] 'A'",
])
func `an index changes nothing of what is found`(filter: String) async throws {
  let plain = try await TemporaryStore(schema(""))
  let indexed = try await TemporaryStore(
    schema(
      #"{"properties":["name.@folded"]},{"properties":["NAME.@folded","-population"]},{"properties":["tags"]}"#
    ))
  let objects = [
    ("Köln", #""KÖLN""#, "1", #"["a"]"#), ("KÖLN", "null", "2", "[]"),
    ("kiel", #""""#, "null", #"["A","b"]"#),
    ("", #""köln am rhein""#, "2", "[]"),
  ]
  for store in [plain, indexed] {
    for (id, (name, other, population, tags)) in objects.enumerated() {
      try await store.create(
        "City",
        #"{"id":\#(id),"name":"\#(name)","NAME":\#(other),"population":\#(population),"tags":\#(tags)}"#)
    }
  }
  let request = QueryRequest(filter: filter, selection: FieldSelection(fields: "id"))
  #expect(try indexed.page("City", request).objects == plain.page("City", request).objects)
}
