import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Synchronization
import Testing

/// Compares the answer and log entry of a new object, which are made without reading it, with the file.
@Suite struct DraftWriterTests {
  private static let schema = """
    [{"name": "All", "properties": {
       "bool": "bool?", "int": "int?", "float": "float?", "double": "double?", "string": "string?",
       "data": "data?", "date": "date?", "oid": "objectId?", "uuid": "uuid?",
       "renamed": {"type": "string?", "mapTo": "stored"},
       "floats": "float?[]", "texts": "string?<>", "ints": "int?<>", "dates": "date<>", "oids": "objectId<>",
       "uuids": "uuid?<>", "bools": "bool?<>", "map": "double?{}",
       "link": "Named?", "links": "Named[]", "linkMap": "Named?{}", "self": "All?",
       "point": "Point?", "points": "Point[]", "pointMap": "Point?{}"}},
     {"name": "Named", "primaryKey": "id", "properties": {"id": "objectId", "other": "Named?",
       "back": {"type": "linkingObjects", "objectType": "All", "property": "link"}}},
     {"name": "Point", "embedded": true, "properties": {
       "x": {"type": "double", "mapTo": "abscissa"}, "tags": "string<>", "inner": "Inner?"}},
     {"name": "Inner", "embedded": true, "properties": {"of": "Named?", "list": "int[]"}}]
    """

  private static let objects = [
    "{}",
    #"{"bool": true, "int": -9223372036854775808, "float": 0.1, "double": 0.1, "string": "\u0000\"é\n"}"#,
    #"{"float": {"$numberDouble": "NaN"}, "double": {"$numberDouble": "-Infinity"}, "int": 9223372036854775807}"#,
    #"{"float": -0.0, "double": -0.0, "data": "", "string": "", "renamed": "x"}"#,
    #"{"float": 1e38, "double": 5e-324, "data": "/w==", "date": "1969-12-31T23:59:59.000000001Z"}"#,
    #"{"date": {"$date": {"$numberLong": "253402300800000"}}, "oid": "0123456789abcdef01234567"}"#,
    #"{"date": {"$date": {"$numberLong": "-62167219200001"}}, "dates": ["2024-01-01T00:00:00Z", "2023-01-01T00:00:00.5Z"]}"#,
    #"{"uuid": "01234567-89ab-cdef-0123-456789abcdef", "uuids": ["f1234567-89ab-cdef-0123-456789abcdef", null]}"#,
    #"{"texts": ["b", "é", "e\u0301", "Z", "b", null, "", null, "a", "aa"], "ints": [3, null, -1, 3, 0]}"#,
    #"{"bools": [true, null, false, true], "oids": ["f00000000000000000000000", "0f0000000000000000000000"]}"#,
    #"{"floats": [1.5, null, 1.5], "map": {"b": 1, "a": null, "é": 2.5, "Z": 0}}"#,
    #"{"link": "000000000000000000000001", "links": ["000000000000000000000002", "000000000000000000000001"]}"#,
    #"{"linkMap": {"x": "000000000000000000000002", "a": null}, "self": 0}"#,
    #"{"point": {"x": 1, "tags": ["b", "a"], "inner": {"of": "000000000000000000000001", "list": [2, 1]}}}"#,
    #"{"points": [{"x": 1}, {"x": 2, "tags": ["q"]}], "pointMap": {"k": {"x": 3}, "j": null}}"#,
  ]

  @Test(arguments: objects)
  func `a new object is answered and logged as the file holds it`(json: String) async throws {
    let store = try await TemporaryStore(Self.schema)
    let commit = try await store.perform(
      store.creation("All", json), store.creation("Named", #"{"id": "000000000000000000000001"}"#),
      store.creation("Named", #"{"id": "000000000000000000000002", "other": "000000000000000000000002"}"#))
    let answered = commit.results.map { String(decoding: $0.object ?? [], as: UTF8.self) }
    try await store.reopen()
    #expect(try answered[0] == store.object("All", .int(0)))
    #expect(try answered[2] == store.object("Named", .objectID(ObjectID(high: 0, low: 2))))
    // The log entry of a deletion comes from the file.
    try await store.perform(.delete(objectType: "All", id: .int(0), precondition: .none))
    let changes = try store.reading.changes(from: .oldest, limit: 100, objectType: "All").changes
      .filter { $0.operation != .schema }
    #expect(changes.map(\.operation) == [.insert, .delete])
    #expect(changes[0].after == changes[1].before)
    #expect(try store.violations() == [])
  }

  @Test(arguments: objects)
  func `what follows from a transaction is told of a new object what is logged of it`(json: String)
    async throws
  {
    let store = try await TemporaryStore(Self.schema)
    let told = Mutex<[Mixed?]>([])
    var transaction = Transaction([
      try store.creation("Named", #"{"id": "000000000000000000000001"}"#),
      try store.creation("Named", #"{"id": "000000000000000000000002"}"#), try store.creation("All", json),
    ])
    transaction.hook = CommitHook { changeSet in
      told.withLock { $0 = changeSet.objects.filter { $0.objectType == "All" }.map(\.after) }
      return []
    }
    _ = try await store.store.perform(transaction)
    let logged = try store.reading.changes(from: .oldest, limit: 100, objectType: "All").changes
      .filter { $0.operation == .insert }
    #expect(logged.count == 1)
    #expect(told.withLock { $0 } == logged.map(\.after))
  }

  @Test func `what happens to a new object in its own transaction is answered and logged`() async throws {
    let store = try await TemporaryStore(Self.schema)
    let id = #"{"id": "000000000000000000000001"}"#
    let commit = try await store.perform(
      store.creation("Named", id), store.creation("All", #"{"link": "000000000000000000000001", "int": 1}"#),
      store.patch("All", .int(0), #"{"int": 2}"#),
      .delete(objectType: "Named", id: .objectID(ObjectID(high: 0, low: 1)), precondition: .none))
    let answered = commit.results[1].object.map { String(decoding: $0, as: UTF8.self) }
    #expect(try answered == store.object("All", .int(0)))
    #expect(answered?.contains(#""int":2"#) == true)
    #expect(answered?.contains(#""link":null"#) == true)
  }
}
