import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

/// Lists, sets and maps whose elements get another type, and single values that become collections.
@Suite struct CollectionConversionTests {
  private static func schema(_ type: String) -> String {
    """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","v":"\(type)"}},
     {"name":"B","primaryKey":"id","properties":{"id":"string","n":"int"}},
     {"name":"E","embedded":true,"properties":{"n":"int"}}]
    """
  }

  /// Types, a value as JSON, and what it becomes.
  @Test(arguments: [
    ("int[]", "double[]", "[1,2,2,-3]", "[1.0,2.0,2.0,-3.0]"),
    ("int[]", "string[]", "[1,20,3]", #"["1","20","3"]"#), ("int[]", "int?[]", "[1]", "[1]"),
    ("int?[]", "string?[]", "[1,null,2]", #"["1",null,"2"]"#), ("int?[]", "int[]", "[1,2]", "[1,2]"),
    ("string[]", "decimal128[]", #"["19.99"]"#, #"[{"$numberDecimal":"19.99"}]"#),
    (
      "decimal128{}", "double{}", #"{"a":{"$numberDecimal":"19.99"},"ß":{"$numberDecimal":"0"}}"#,
      #"{"a":19.99,"ß":0.0}"#
    ),
    ("string?{}", "int?{}", #"{"x":"1","y":null}"#, #"{"x":1,"y":null}"#),
    ("int<>", "string<>", "[10,9,-1]", #"["-1","10","9"]"#), ("int<>", "int?<>", "[3,1,2]", "[1,2,3]"),
    ("int?<>", "int<>", "[3,1]", "[1,3]"), ("int?<>", "double?<>", "[null,2]", "[null,2.0]"),
    ("mixed[]", "int[]", "[1,2.0]", "[1,2]"), ("int<>", "mixed<>", "[2,1]", "[1,2]"),
    ("int", "int[]", "7", "[7]"), ("string?", "string[]", "null", "[]"),
    ("string?", "string[]", #""""#, #"[""]"#),
    ("string", "int[]", #""7""#, "[7]"), ("decimal128", "double<>", #"{"$numberDecimal":"0.1"}"#, "[0.1]"),
    ("mixed", "mixed[]", "[1,[2]]", "[[1,[2]]]"), ("mixed", "string[]", #""x""#, #"["x"]"#),
    ("B", "B[]", #"{"$ref":"B","$id":"b"}"#, #"["b"]"#), ("B", "B<>", #"{"$ref":"B","$id":"b"}"#, #"["b"]"#),
    ("E", "E[]", #"{"n":1}"#, #"[{"n":1}]"#),
    ("int[]", "int", "[7]", "7"), ("int[]", "int?", "[]", "null"), ("int?[]", "int?", "[null]", "null"),
    ("string[]", "int", #"["7"]"#, "7"), ("string<>", "string?", #"["ß"]"#, #""ß""#),
    ("decimal128<>", "double?", "[]", "null"), ("int?<>", "string?", "[null]", "null"),
    ("mixed[]", "mixed", "[[1,2]]", "[1,2]"), ("B[]", "B", #"["b"]"#, #"{"$ref":"B","$id":"b"}"#),
    ("B[]", "B", "[]", "null"), ("B<>", "B", #"["b"]"#, #"{"$ref":"B","$id":"b"}"#),
    ("E[]", "E", #"[{"n":1}]"#, #"{"n":1}"#), ("E[]", "E", "[]", "null"),
  ])
  func `values go with the type of their collection`(
    from: String, to: String, value: String, expected: String
  ) async throws {
    let store = try await TemporaryStore(Self.schema(from))
    try await store.create("B", #"{"id":"b","n":1}"#)
    try await store.create("A", #"{"id":1,"v":\#(value)}"#)
    #expect(try await store.apply(Self.schema(to)).changed)
    let other = try await TemporaryStore(Self.schema(to))
    try await other.create("B", #"{"id":"b","n":1}"#)
    try await other.create("A", #"{"id":1,"v":\#(expected)}"#)
    #expect(try store.object("A", .int(1)) == other.object("A", .int(1)))
    #expect(try store.violations() == [])
    // Nothing of it is in the way later.
    try await store.perform(.delete(objectType: "B", id: .string("b"), precondition: .none))
    try await store.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
    #expect(try store.violations() == [])
  }

  @Test(arguments: [
    ("double[]", "int[]", "[1,1.5]", UnconvertibleValue.Reason.inexact(from: .double, to: .int), false),
    ("double?[]", "int?[]", "[1.5]", .inexact(from: .double, to: .int), true),
    ("string{}", "int{}", #"{"a":"1","b":"x"}"#, .inexact(from: .string, to: .int), false),
    ("int?[]", "int[]", "[1,null]", .null, false), ("int?<>", "double<>", "[null]", .null, false),
    ("string<>", "decimal128<>", #"["1.0","1.00"]"#, .duplicate, false),
    ("mixed[]", "string[]", "[1]", .inexact(from: .mixed, to: .string), false),
    ("string", "int[]", #""x""#, .inexact(from: .string, to: .int), false),
    ("int?[]", "int?", "[1,2]", .many(count: 2), true), ("int?[]", "int?", "[1,null]", .many(count: 2), true),
    ("string<>", "string?", #"["a","b","c"]"#, .many(count: 3), true),
    ("string[]", "int?", #"["x"]"#, .inexact(from: .string, to: .int), true),
    ("B[]", "B", #"["b","b"]"#, .many(count: 2), true),
    ("E[]", "E", #"[{"n":1},{"n":2}]"#, .many(count: 2), true),
    ("mixed[]", "mixed", #"[{"$ref":"B","$id":"b"},1]"#, .many(count: 2), true),
  ])
  func `an element that cannot follow is told, and nothing has changed`(
    from: String, to: String, value: String, reason: UnconvertibleValue.Reason, isLosable: Bool
  ) async throws {
    let store = try await TemporaryStore(Self.schema(from))
    try await store.create("B", #"{"id":"b","n":1}"#)
    try await store.create("A", #"{"id":1,"v":\#(value)}"#)
    let before = try store.object("A", .int(1))
    let told = UnconvertibleValue(
      objectType: "A", property: "v", id: .int(1), reason: reason, isLosable: isLosable)
    await #expect(throws: StorageError.unconvertible([told])) { try await store.apply(Self.schema(to)) }
    if isLosable {
      #expect(try await store.apply(Self.schema(to), destructive: true).changed)
      let isList = to.hasSuffix("]")
      #expect(try store.object("A", .int(1)) == (isList ? #"{"id":1,"v":[null]}"# : #"{"id":1,"v":null}"#))
    } else {
      await #expect(throws: StorageError.unconvertible([told])) {
        try await store.apply(Self.schema(to), destructive: true)
      }
      #expect(try store.object("A", .int(1)) == before)
    }
    #expect(try store.violations() == [])
  }

  @Test func `an empty list is no value where there must be one, and the first ten objects are told`()
    async throws
  {
    let store = try await TemporaryStore(Self.schema("int[]"))
    for id in 1...30 { try await store.create("A", #"{"id":\#(id),"v":\#(id % 2 == 0 ? "[5]" : "[]")}"#) }
    let told = (0..<10).map {
      UnconvertibleValue(objectType: "A", property: "v", id: .int($0 * 2 + 1), reason: .null)
    }
    await #expect(throws: StorageError.unconvertible(told)) { try await store.apply(Self.schema("int")) }
    #expect(try store.object("A", .int(2)) == #"{"id":2,"v":[5]}"#)
    _ = try await store.apply(Self.schema("int"), destructive: true)
    #expect(try store.object("A", .int(2)) == #"{"id":2,"v":5}"#)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":0}"#)
    #expect(try store.violations() == [])
  }

  @Test func `the log says of lists that are single values now what single values can be`() async throws {
    let store = try await TemporaryStore(Self.schema("int?[]"))
    try await store.create("A", #"{"id":1,"v":[1,2]}"#)
    try await store.perform(store.patch("A", .int(1), #"{"v":[7]}"#))
    _ = try await store.apply(Self.schema("int?"))
    let reader = try store.store.makeReader()
    let images = try reader.snapshot { snapshot throws(StorageError) in
      try snapshot.changes(after: LogPosition(version: 1), through: 3, limit: 9).changes.map(\.after)
    }
    #expect(images.count == 2)
    #expect(
      images[0] == .dictionary([Mixed.Entry(key: "id", value: .int(1)), Mixed.Entry(key: "v", value: .null)]))
    #expect(images[1] == .dictionary([Mixed.Entry(key: "v", value: .int(7))]))
  }

  @Test func `a long list keeps its order, its gaps and its blocks`() async throws {
    let store = try await TemporaryStore(Self.schema("int[]"))
    let values = (0..<2000).map(String.init).joined(separator: ",")
    try await store.create("A", #"{"id":1,"v":[\#(values)]}"#)
    #expect(try await store.apply(Self.schema("string[]")).changed)
    let texts = (0..<2000).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":[\#(texts)]}"#)
    #expect(try store.violations() == [])
    try await store.perform(store.patch("A", .int(1), #"{"v":[]}"#))
    #expect(try store.violations() == [])
  }

  @Test func `links inside mixed values are still known where their property becomes a list`() async throws {
    let store = try await TemporaryStore(Self.schema("mixed"))
    try await store.create("B", #"{"id":"b","n":1}"#)
    try await store.create("A", #"{"id":1,"v":{"$ref":"B","$id":"b"}}"#)
    #expect(try await store.apply(Self.schema("mixed[]")).changed)
    #expect(try store.violations() == [])
    try await store.perform(.delete(objectType: "B", id: .string("b"), precondition: .none))
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":[null]}"#)
  }
}
