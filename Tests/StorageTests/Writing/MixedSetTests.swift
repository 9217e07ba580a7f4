import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","set":"mixed<>"}},
   {"name":"T","primaryKey":"id","properties":{"id":"int"}}]
  """

private func decimal(_ text: String) -> String { #"{"$numberDecimal":"\#(text)"}"# }

/// Numbers of one value are one, whatever their types are, and the first of them stays; SQLite, to which they are
/// different bytes, does not know.
@Test(
  arguments: [
    ("1,\(decimal("1")),1.0", "[1]"), ("\(decimal("1")),1", "[\(decimal("1"))]"),
    ("0.0,-0.0,0", "[0.0]"), ("null,null", "[null]"),
    (#"{"$numberDouble":"NaN"},\#(decimal("NaN"))"#, #"[{"$numberDouble":"NaN"}]"#),
    // Both doubles equal the decimal 0.3 in a query, but nothing here equals another exactly.
    (
      "0.30000000000000004,0.3,\(decimal("0.3")),\(decimal("0.30000000000000004"))",
      "[0.3,\(decimal("0.3")),\(decimal("0.30000000000000004")),0.30000000000000004]"
    ),
    ("9007199254740993,9007199254740992.0", "[9007199254740992.0,9007199254740993]"),
    // Realm's order of types, not SQLite's.
    (#""a",true,2,null,{"$binary":{"base64":"","subType":"00"}},\#(decimal("-1"))"#, ""),
  ] as [(String, String)])
func `a set of mixed values has each value once, in their order`(values: String, expected: String)
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"set":[\#(values)]}"#)
  let found = try #require(try store.object("A", .int(1)))
  if expected.isEmpty {
    #expect(
      found == """
        {"id":1,"set":[null,true,{"$numberDecimal":"-1"},2,"a",{"$binary":{"base64":"","subType":"00"}}]}
        """)
  } else {
    #expect(found == #"{"id":1,"set":\#(expected)}"#)
  }
}

@Test func `links that are taken out of a set of mixed values leave null once`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("T", #"{"id":1}"#)
  try await store.create("T", #"{"id":2}"#)
  let links = (1...2).map { #"{"$ref":"T","$id":\#($0)}"# }
  try await store.create("A", #"{"id":1,"set":[null,\#(links[0]),\#(links[1])]}"#)
  try await store.perform(.delete(objectType: "T", id: .int(1), precondition: .none))
  #expect(try store.object("A", .int(1)) == #"{"id":1,"set":[null,\#(links[1])]}"#)
  try await store.perform(.delete(objectType: "T", id: .int(2), precondition: .none))
  #expect(try store.object("A", .int(1)) == #"{"id":1,"set":[null]}"#)
  #expect(try store.violations() == [])
}

@Test func `pairs of a set and a list count what the set has once`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"set":[1,\#(decimal("1"))]}"#)
  for (filter, ids) in [
    ("set == {1}", ["1"]), ("set != {1, 2}", ["1"]), ("set.@count == 1", ["1"]), ("ALL set == 1", ["1"]),
  ] {
    let found = try store.page("A", QueryRequest(filter: filter, selection: FieldSelection(fields: "id")))
      .objects
    #expect(found == ids.map { #"{"id":\#($0)}"# }, "\(filter)")
  }
}
