import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Changes of the schema and of objects in one transaction.
@Suite struct MigrationStepTests {
  private static let old =
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int","price":"decimal128","n":"int","next":"A"}}]"#
  private static let new =
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int","cents":"int","big":"bool","next":"A"}}]"#

  private static func store() async throws -> TemporaryStore {
    let store = try await TemporaryStore(old)
    try await store.create("A", #"{"id":1,"price":{"$numberDecimal":"19.99"},"n":2}"#)
    try await store.create("A", #"{"id":2,"price":{"$numberDecimal":"0.50"},"n":0,"next":1}"#)
    return store
  }

  /// The step from the old schema to the new one, with expressions by property.
  private static func step(
    _ store: TemporaryStore, _ values: [(String, String)], key: String = "1", where filter: String? = nil
  ) throws -> MigrationStep {
    let schema = try Schema(notation: Value(json: new))
    let between = store.store.schema.extended(by: schema)
    let type = try #require(between["A"])
    let plan = try Plan(request: QueryRequest(filter: filter), schema: between, objectType: "A")
    let computations = try values.map { name, text in
      let place = try #require(type.index(of: name))
      let element = try #require(type.properties[place].type.stored?.element)
      return Computation(place, try ValueExpression(text, as: element, schema: between, objectType: "A"))
    }
    return MigrationStep(
      [
        .schema(between), .operation(.each(plan, .compute(computations))),
        .schema(schema, isDestructive: true),
      ], record: RecordChange(Record.Name("migration", key), Array("x".utf8), expecting: .absent))
  }

  @Test func `values are computed of what goes, and each change is a commit`() async throws {
    let store = try await Self.store()
    let step = try Self.step(store, [("cents", "price * 100"), ("big", "price > 1 AND n > 0")])
    #expect(try await store.store.migrate(by: [step]) == 6)
    #expect(try store.object("A", .int(1)) == #"{"id":1,"cents":1999,"big":true,"next":null}"#)
    #expect(try store.object("A", .int(2)) == #"{"id":2,"cents":50,"big":false,"next":1}"#)
    #expect(try store.violations() == [])
    #expect(try store.store.makeReader().record(Record.Name("migration", "1")) == Array("x".utf8))
    let (changes, _, _) = try store.changes(from: .after(LogPosition(version: 3)))
    #expect(changes.count == 4 && changes[1].contains(#""operation":"update""#))
    // Once more it would be another step.
    let again = try Self.step(store, [("cents", "cents")])
    let error = await #expect(throws: OperationError.self) { try await store.store.migrate(by: [again]) }
    #expect(error == OperationError(operation: 0, reason: .schemaChanged))
    try await store.create("A", #"{"id":3,"cents":1,"big":true}"#)
    #expect(store.store.version == 7)
  }

  @Test func `a value behind links is computed, null where they lead nowhere`() async throws {
    let store = try await Self.store()
    let step = try Self.step(store, [("cents", "next.price * 100"), ("big", "TRUE")], where: "next != NULL")
    _ = try await store.store.migrate(by: [step])
    #expect(try store.object("A", .int(2)) == #"{"id":2,"cents":1999,"big":true,"next":1}"#)
  }

  @Test(arguments: [
    ("price * 100 / 3", UnconvertibleValue.Reason.inexact(from: .decimal128, to: .int)), ("NULL", .null),
    ("next.n", .null),
  ])
  func `what a property cannot hold ends the step, and nothing has changed`(
    text: String, reason: UnconvertibleValue.Reason
  ) async throws {
    let store = try await Self.store()
    let before = try store.object("A", .int(1))
    // The property exists already, and must have a value.
    let type = try #require(store.store.schema["A"])
    let place = try #require(type.index(of: "n"))
    let plan = try Plan(request: QueryRequest(), schema: store.store.schema, objectType: "A")
    let expression = try ValueExpression(text, as: .int, schema: store.store.schema, objectType: "A")
    let step = MigrationStep(
      [.operation(.each(plan, .compute([Computation(place, expression)])))],
      record: RecordChange(Record.Name("migration", "1"), [], expecting: .absent))
    let value = UnconvertibleValue(objectType: "A", property: "n", id: .int(1), reason: reason)
    let error = await #expect(throws: OperationError.self) { try await store.store.migrate(by: [step]) }
    #expect(error == OperationError(operation: 0, reason: .incomputable(value)))
    #expect(try store.object("A", .int(1)) == before)
    #expect(store.store.version == 3)
  }

  /// Classes with links and collections, an object of each, and what an expression makes of a property of the second.
  @Test(arguments: [
    ("one", "code", #""x""#), ("one", "list[0]", #""x""#), ("one", "one", "null"), ("one", "NULL", "null"),
    ("one", #"obj("T", "y")"#, #""y""#), ("one", "'y'", #""y""#), ("one", "next.one", "null"),
    ("list", "code", #"["x"]"#), ("list", "list", #"["x","y","x"]"#), ("list", "NULL", "[]"),
    ("list", "next.one", "[]"), ("list", "names", #"["y","x"]"#), ("list", "{'y', 'y'}", #"["y","y"]"#),
    ("list", "one", "[]"), ("set", "list", #"["x","y"]"#), ("names", "list.id", #"["x","y","x"]"#),
    ("names", "list.name", #"["X","Y","X"]"#), ("names", "n", #"["7"]"#), ("names", "{'a'}", #"["a"]"#),
    ("numbers", "list.@count", "[3]"), ("numbers", "NULL", "[]"), ("numbers", "{1, 2, 2}", "[1,2]"),
    ("n", "names.@count", "2"),
  ])
  func `links and collections take what expressions give`(property: String, text: String, expected: String)
    async throws
  {
    let store = try await Self.linkedStore()
    try await Self.compute(property, text, of: store)
    let object = try #require(try store.object("A", .int(1)))
    #expect(object.contains(#""\#(property)":\#(expected)"#), "\(object)")
    #expect(try store.violations() == [])
    // The links are ones that the store knows of.
    for id in ["x", "y"] {
      try await store.perform(.delete(objectType: "T", id: .string(id), precondition: .none))
    }
    #expect(try store.violations() == [])
  }

  @Test(arguments: [
    ("one", "names[0] + 'z'", nil), ("one", "'z'", UnconvertibleValue.Reason.noTarget(objectType: "T")),
    ("one", #"obj("T", "z")"#, .noTarget(objectType: "T")),
    ("list", "{'x', 'z'}", .noTarget(objectType: "T")),
    ("one", "list", nil), ("one", "next", nil), ("list", #"obj("A", 1)"#, nil), ("n", "one", nil),
    ("names", "list", nil), ("names", "ANY names", nil), ("names", "{'a', NULL}", .null),
    ("numbers", "names", .inexact(from: .string, to: .int)),
  ])
  func `what is no link or collection for a property is refused`(
    property: String, text: String, reason: UnconvertibleValue.Reason?
  ) async throws {
    let store = try await Self.linkedStore()
    let before = try store.object("A", .int(1))
    if let reason {
      let error = await #expect(throws: OperationError.self) {
        try await Self.compute(property, text, of: store)
      }
      let value = UnconvertibleValue(objectType: "A", property: property, id: .int(1), reason: reason)
      #expect(error == OperationError(operation: 0, reason: .incomputable(value)))
    } else {
      await #expect(throws: QueryError.self) { try await Self.compute(property, text, of: store) }
    }
    #expect(try store.object("A", .int(1)) == before)
  }

  private static func linkedStore() async throws -> TemporaryStore {
    let store = try await TemporaryStore(
      """
      [{"name":"T","primaryKey":"id","properties":{"id":"string","name":"string"}},
       {"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","code":"string","next":"A","one":"T",
         "list":"T[]","set":"T<>","names":"string[]","numbers":"int<>"}}]
      """)
    try await store.create("T", #"{"id":"x","name":"X"}"#)
    try await store.create("T", #"{"id":"y","name":"Y"}"#)
    try await store.create(
      "A", #"{"id":1,"n":7,"code":"x","list":["x","y","x"],"set":["y"],"names":["y","x"],"numbers":[9]}"#)
    return store
  }

  private static func compute(_ property: String, _ text: String, of store: TemporaryStore) async throws {
    let schema = store.store.schema
    let type = try #require(schema["A"])
    let place = try #require(type.index(of: property))
    let stored = type.properties[place].type.stored
    let isOne = if case .one = type.properties[place].type { true } else { false }
    let expression = try ValueExpression(
      text, as: try #require(stored?.element), allowsMany: !isOne, schema: schema, objectType: "A")
    let plan = try Plan(request: QueryRequest(), schema: schema, objectType: "A")
    let step = MigrationStep(
      [.operation(.each(plan, .compute([Computation(place, expression)])))],
      record: RecordChange(Record.Name("migration", "1"), [], expecting: .absent))
    _ = try await store.store.migrate(by: [step])
  }

  @Test func `the step that fails is told, and those before it have not taken place`() async throws {
    let store = try await Self.store()
    let good = try Self.step(store, [("cents", "n"), ("big", "TRUE")])
    let bad = MigrationStep(
      [.schema(try Schema(notation: Value(json: Self.old)))],
      record: RecordChange(Record.Name("migration", "2"), [], expecting: .absent))
    let error = await #expect(throws: OperationError.self) { try await store.store.migrate(by: [good, bad]) }
    #expect(error?.operation == 1)
    guard case .destructiveChange? = error?.reason else { throw CancellationError() }
    #expect(try store.object("A", .int(2)).map { $0.contains("price") } == true)
    #expect(store.store.version == 3)
    #expect(try store.store.makeReader().records("migration") == [])
    try await store.create("A", #"{"id":3,"price":{"$numberDecimal":"1"},"n":2}"#)
    #expect(try store.violations() == [])
  }

  @Test func `a trial finds the version, and leaves everything as it is`() async throws {
    let store = try await Self.store()
    let step = try Self.step(store, [("cents", "n"), ("big", "TRUE")])
    #expect(try await store.store.migrate(by: [step], isTrial: true) == 6)
    #expect(store.store.version == 3)
    #expect(try store.store.schema == Schema(notation: Value(json: Self.old)))
    #expect(try store.store.makeReader().records("migration") == [])
    try await store.create("A", #"{"id":3,"price":{"$numberDecimal":"1"},"n":2}"#)
    #expect(store.store.version == 4)
    #expect(try await store.store.migrate(by: [step]) == 7)
    #expect(try store.violations() == [])
  }

  @Test func `a required property without default must have got a value where no data may be lost`()
    async throws
  {
    let store = try await TemporaryStore(#"[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]"#)
    try await store.create("A", #"{"id":1}"#)
    let target = try Schema(
      notation: Value(json: #"[{"name":"A","primaryKey":"id","properties":{"id":"int","x":"int"}}]"#))
    let between = store.store.schema.extended(by: target)
    let step = MigrationStep(
      [.schema(between), .schema(target)],
      record: RecordChange(Record.Name("migration", "1"), [], expecting: .absent))
    let missing = UnconvertibleValue(objectType: "A", property: "x", id: .int(1), reason: .null)
    let error = await #expect(throws: OperationError.self) { try await store.store.migrate(by: [step]) }
    #expect(error == OperationError(operation: 0, reason: .unconvertible([missing])))
  }

  @Test func `more objects than are remembered are computed in one step`() async throws {
    let store = try await TemporaryStore(Self.old)
    for base in 0..<20 {
      let operations = try (0..<100).map {
        try store.creation("A", #"{"id":\#(base * 100 + $0),"price":{"$numberDecimal":"1"},"n":\#($0)}"#)
      }
      _ = try await store.store.perform(Transaction(operations))
    }
    let step = try Self.step(store, [("cents", "n + 1"), ("big", "n > 50")])
    _ = try await store.store.migrate(by: [step])
    #expect(try store.object("A", .int(1999)) == #"{"id":1999,"cents":100,"big":true,"next":null}"#)
    #expect(try store.count("A", QueryRequest(filter: "big == true")) == 49 * 20)
    #expect(try store.violations() == [])
  }
}
