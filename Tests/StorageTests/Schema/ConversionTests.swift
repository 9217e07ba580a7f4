import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Testing

/// Properties that get another type and keep their values.
@Suite struct ConversionTests {
  private static func schema(_ type: String, _ more: String = "") -> String {
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int","v":\#(type)\#(more)}}]"#
  }

  /// Types, a value as JSON, and what it becomes; nil: nothing says the same.
  @Test(arguments: [
    ("int", "double", "7", "7.0"), ("int", "double", "9007199254740993", nil),
    ("int", "float", "16777217", nil), ("int", "decimal128", "7", #"{"$numberDecimal":"7"}"#),
    ("int", "string", "-7", #""-7""#), ("int", "bool", "1", "true"), ("int", "bool", "2", nil),
    ("double", "int", "7.0", "7"), ("double", "int", "7.5", nil), ("double", "float", "0.5", "0.5"),
    ("double", "float", "0.1", nil), ("double", "string", "0.1", #""0.1""#),
    ("double", "decimal128", "19.99", #"{"$numberDecimal":"19.99"}"#),
    ("decimal128", "double", #"{"$numberDecimal":"19.99"}"#, "19.99"),
    ("decimal128", "double", #"{"$numberDecimal":"0.12345678901234567890"}"#, nil),
    ("decimal128", "double", #"{"$numberDecimal":"1E+400"}"#, nil),
    ("decimal128", "double", #"{"$numberDecimal":"1E-400"}"#, nil),
    ("decimal128", "int", #"{"$numberDecimal":"7.00"}"#, "7"),
    ("float", "double", "0.5", "0.5"), ("bool", "string", "true", #""true""#), ("bool", "int", "true", "1"),
    ("string", "int", #""42""#, "42"), ("string", "int", #""042""#, nil), ("string", "int", #""+1""#, nil),
    ("string", "double", #""1.5""#, "1.5"), ("string", "double", #"" 1.5""#, nil),
    ("string", "double", #""""#, nil),
    ("string", "bool", #""false""#, "false"), ("string", "bool", #""no""#, nil),
    ("string", "date", #""2024-01-02T03:04:05Z""#, #""2024-01-02T03:04:05Z""#),
    ("string", "date", #""2024-01-02T04:04:05+01:00""#, nil),
    ("string", "objectId", #""65a0b1c2d3e4f5a6b7c8d9e0""#, #""65a0b1c2d3e4f5a6b7c8d9e0""#),
    ("string", "uuid", #""6F9619FF-8B86-D011-B42D-00CF4FC964FF""#, nil),
    ("mixed", "int", "7", "7"), ("mixed", "int", #""x""#, nil), ("mixed", "string", "[1]", nil),
    ("int", "mixed", "7", "7"),
  ])
  func `a value becomes the one of the other type that says the same, or the change is refused`(
    from: String, to: String, value: String, expected: String?
  ) async throws {
    let store = try await TemporaryStore(Self.schema(#""\#(from)""#))
    try await store.create("A", #"{"id":1,"v":\#(value)}"#)
    let target = Self.schema(#""\#(to)""#)
    if let expected {
      #expect(try await store.apply(target).changed)
      let other = try await TemporaryStore(target)
      try await other.create("A", #"{"id":1,"v":\#(expected)}"#)
      #expect(try store.object("A", .int(1)) == other.object("A", .int(1)))
    } else {
      let before = try store.object("A", .int(1))
      await #expect(throws: StorageError.self) { try await store.apply(target) }
      #expect(try store.object("A", .int(1)) == before)
      #expect(store.store.version == 2)
      // With leave to lose: null, never another value.
      _ = try await store.apply(Self.schema(#""\#(to)?""#), destructive: true)
      #expect(try store.object("A", .int(1)) == #"{"id":1,"v":null}"#)
    }
    #expect(try store.violations() == [])
  }

  @Test func `the first objects that cannot follow are told, and nothing has changed`() async throws {
    let store = try await TemporaryStore(Self.schema(#""double?""#))
    for id in 1...30 { try await store.create("A", #"{"id":\#(id),"v":\#(id % 2 == 0 ? "1.0" : "1.5")}"#) }
    let told = (0..<10).map {
      UnconvertibleValue(
        objectType: "A", property: "v", id: .int($0 * 2 + 1), reason: .inexact(from: .double, to: .int))
    }
    await #expect(throws: StorageError.unconvertible(told)) { try await store.apply(Self.schema(#""int?""#)) }
    #expect(try store.object("A", .int(3)) == #"{"id":3,"v":1.5}"#)
    try await store.create("A", #"{"id":31,"v":2.5}"#)
    #expect(try store.object("A", .int(31)) == #"{"id":31,"v":2.5}"#)
    #expect(try store.violations() == [])
  }

  @Test func `null may be forbidden where no object has it, and becomes the default only with leave`()
    async throws
  {
    let store = try await TemporaryStore(Self.schema(#""int?""#))
    try await store.create("A", #"{"id":1,"v":5}"#)
    #expect(try await store.apply(Self.schema(#""double""#)).changed)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":5.0}"#)
    _ = try await store.apply(Self.schema(#""double?""#))
    try await store.create("A", #"{"id":2}"#)
    let missing = UnconvertibleValue(objectType: "A", property: "v", id: .int(2), reason: .null)
    for type in ["double", "string"] {
      let target = Self.schema(#"{"type":"\#(type)","default":\#(type == "double" ? "8" : #""8""#)}"#)
      await #expect(throws: StorageError.unconvertible([missing])) { try await store.apply(target) }
    }
    _ = try await store.apply(Self.schema(#"{"type":"string","default":"8"}"#), destructive: true)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":"5"}"#)
    #expect(try store.object("A", .int(2)) == #"{"id":2,"v":"8"}"#)
  }

  @Test func `a price in decimals is never 0.0 as a double, with leave to lose or without`() async throws {
    let store = try await TemporaryStore(Self.schema(#""decimal128""#))
    try await store.create("A", #"{"id":1,"v":{"$numberDecimal":"19.99"}}"#)
    _ = try await store.apply(Self.schema(#""double""#), destructive: true)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"v":19.99}"#)
  }

  @Test func `a property keeps its values under another name and type, with its index`() async throws {
    let store = try await TemporaryStore(Self.schema(#"{"type":"int","indexed":true}"#))
    try await store.create("A", #"{"id":1,"v":5}"#)
    let target =
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","w":{"type":"string","indexed":true}}}]"#
    let rename = PropertyRename(objectType: "A", from: "v", to: "w")
    let schema = try Schema(notation: Value(json: target))
    #expect(try await store.store.apply(schema, destructive: false, renames: [rename]).changed)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"w":"5"}"#)
    #expect(try store.violations() == [])
  }

  @Test func `random values that may go to another type come back as they were`() async throws {
    let types = ["int", "float", "double", "decimal128", "string", "bool", "mixed"]
    var random = SeededGenerator(seed: 23)
    for _ in 0..<60 {
      let from = types[Int.random(in: 0..<6, using: &random)]
      let to = types[Int.random(in: 0..<7, using: &random)]
      let store = try await TemporaryStore(Self.schema(#""\#(from)?""#))
      for id in 0..<8 {
        try await store.create("A", #"{"id":\#(id),"v":\#(Self.value(of: from, &random))}"#)
      }
      let before = try (0..<8).map { try store.object("A", .int(Int64($0))) }
      do {
        _ = try await store.apply(Self.schema(#""\#(to)?""#))
        #expect(try store.violations() == [])
        _ = try await store.apply(Self.schema(#""\#(from)?""#))
      } catch StorageError.unconvertible(let values) {
        #expect(!values.isEmpty)
      } catch StorageError.destructiveChange {
        // No value of the one type says the same as one of the other.
        let pair = Set([from, to])
        #expect(pair.contains("bool") && !pair.isDisjoint(with: ["float", "double", "decimal128"]))
      }
      #expect(try (0..<8).map { try store.object("A", .int(Int64($0))) } == before, "\(from) to \(to)")
      #expect(try store.violations() == [])
    }
  }

  private static func value(of type: String, _ random: inout SeededGenerator) -> String {
    let small = Int.random(in: -3...3, using: &random)
    let isSmall = Bool.random(using: &random)
    if Int.random(in: 0..<6, using: &random) == 0 { return "null" }
    switch type {
    case "int": return isSmall ? "\(small)" : "\(Int64.random(in: .min ... .max, using: &random))"
    case "float": return isSmall ? "\(small).5" : "\(Float.random(in: -1...1, using: &random))"
    case "double": return isSmall ? "\(small).0" : "\(Double.random(in: -1e9...1e9, using: &random))"
    case "decimal128":
      let digits = isSmall ? "\(small)" : "0.\(UInt64.random(in: 1 ... .max, using: &random))7"
      return #"{"$numberDecimal":"\#(digits)"}"#
    case "string": return #""\#(isSmall ? "\(small)" : "\(small)x")""#
    default: return isSmall ? "true" : "false"
    }
  }
}
