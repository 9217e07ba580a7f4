import GatehouseModel
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","m":{"type":"dictionary","objectType":"int","mapTo":"map",
    "optional":true},"links":"A{}","embedded":"E{}","x":"mixed{}"}},
   {"name":"E","embedded":true,"properties":{"n":"int","inner":"string{}"}}]
  """

/// Returns the log entries of the last commit, from the operation on.
private func last(_ store: TemporaryStore) throws -> [String] {
  let version = store.store.version
  return try store.changes().changes.filter { $0.hasPrefix(#"{"version":\#(version),"#) }.compactMap { line in
    line.firstMatch(of: /"class".*/).map { String($0.0) }
  }
}

private func update(_ id: Int, _ rest: String) -> String {
  #""class":"A","id":\#(id),"operation":"update",\#(rest)}"#
}

@Test(arguments: [
  (
    #"{"m":{"a":2}}"#,
    #""changed":["m"],"before":{},"after":{},"elements":{"m":[{"key":"a","before":1,"after":2}]}"#
  ),
  (
    #"{"m":{"b":null}}"#, #""changed":["m"],"before":{},"after":{},"elements":{"m":[{"key":"b","before":7}]}"#
  ),
  (
    #"{"m":{"c":3,"a":1}}"#,
    #""changed":["m"],"before":{},"after":{},"elements":{"m":[{"key":"a","before":1,"after":1},{"key":"c","after":3}]}"#
  ),
  (
    #"{"embedded":{"e":{"n":2,"inner":{"k":"v"}}}}"#,
    #""changed":["embedded"],"before":{},"after":{},"elements":{"embedded":[{"key":"e","before":{"n":1,"inner":{}},"after":{"n":2,"inner":{"k":"v"}}}]}"#
  ),
  (
    #"{"x":{"d":{"$oid":"650000000000000000000001"}}}"#,
    #""changed":["x"],"before":{},"after":{},"elements":{"x":[{"key":"d","after":{"$oid":"650000000000000000000001"}}]}"#
  ),
])
func `a change of some entries of a map is logged as those entries`(patch: String, logged: String)
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"m":{"a":1,"b":7},"embedded":{"e":{"n":1}}}"#)
  try await store.perform(store.patch("A", .int(1), patch))
  #expect(try last(store) == [update(1, logged)])
  #expect(try store.violations() == [])
}

@Test func `what several patches of a transaction do to an entry is one change`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"m":{"a":1}}"#)
  try await store.perform(
    store.patch("A", .int(1), #"{"m":{"a":2,"b":1}}"#), store.patch("A", .int(1), #"{"m":{"a":3,"b":null}}"#))
  let logged = #""changed":["m"],"before":{},"after":{},"elements":{"m":[{"key":"a","before":1,"after":3}]}"#
  #expect(try last(store) == [update(1, logged)])
}

@Test func `removing an entry that is not there changes nothing`() async throws {
  let store = try await TemporaryStore(schema)
  let commit = try await store.create("A", #"{"id":1,"m":{"a":1}}"#)
  let second = try await store.perform(store.patch("A", .int(1), #"{"m":{"none":null}}"#))
  #expect(second.version == commit.version)
  #expect(second.results.map(\.effect) == [.unchanged])
}

@Test func `a map that is written as a whole after some of its entries is logged as it was before`()
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":1,"m":{"a":1,"b":2}}"#)
  try await store.perform(
    store.patch("A", .int(1), #"{"m":{"a":null,"b":5,"c":9}}"#), store.patch("A", .int(1), #"{"m":null}"#))
  #expect(
    try last(store) == [update(1, #""changed":["m"],"before":{"m":{"a":1,"b":2}},"after":{"m":{}}"#)])
}

@Test func `the deletion of a linked object is a modification of the entries that led to it`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":2}"#)
  try await store.create("A", #"{"id":1,"links":{"me":2,"other":1}}"#)
  try await store.perform(.delete(objectType: "A", id: .int(2), precondition: .none))
  let logged =
    #""changed":["links"],"before":{},"after":{},"elements":{"links":[{"key":"me","before":2,"after":null}]}"#
  #expect(try last(store).last == update(1, logged))
  #expect(try store.object("A", .int(1))?.contains(#""links":{"me":null,"other":1}"#) == true)
}

@Test(arguments: [ElementChange.Place.index(-1), .move(from: -1, to: 0), .move(from: 0, to: -1)])
func `a change at a place that no list has is none`(place: ElementChange.Place) throws {
  let change = ElementChange(place, before: .int(1), after: .int(2))
  let bytes = try #require(CollectionChange.encode([CollectionChange(property: "l", elements: [change])]))
  bytes.withUnsafeBufferPointer { #expect(CollectionChange.decode($0) == nil) }
}
