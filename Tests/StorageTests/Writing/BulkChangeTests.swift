import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Changes of very many objects are logged piece by piece; what comes of them is the same.
@Suite struct BulkChangeTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","text":"string?","next":"A?","list":"A[]",
      "map":"A{}","any":"mixed","part":"P?"}},
     {"name":"B","properties":{"a":"A?","many":"A<>"}},
     {"name":"P","embedded":true,"properties":{"of":"A?","note":"string?"}}]
    """

  /// More objects than are remembered at once: each is a row with another one inside.
  private static let count = 1200

  /// Has that number of objects, which link to each other in every way, and others that stay.
  private func store(_ options: StoreOptions = StoreOptions()) async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema, options: options)
    var operations: [Operation] = []
    for id in 0..<Self.count {
      let (next, other) = ((id * 7 + 1) % Self.count, (id + 1) % Self.count)
      operations.append(
        try store.creation(
          "A",
          """
          {"id":\(id),"n":\(id % 5),"text":"t\(id)","next":\(next),"list":[\(other),\(next)],"map":{"k":\(next)},
           "any":{"$ref":"A","$id":\(other)},"part":{"of":\(next),"note":"\(id)"}}
          """))
    }
    for id in 0..<50 {
      operations.append(try store.creation("B", #"{"a":\#(id),"many":[\#(id),\#(id + 400),\#(id + 800)]}"#))
    }
    _ = try await store.store.perform(Transaction(operations))
    return store
  }

  private func plan(_ filter: String, in store: TemporaryStore) throws -> Plan {
    try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A")
  }

  private func everything(_ store: TemporaryStore) throws -> [String] {
    var objects: [String] = []
    for name in ["A", "B"] { objects += try store.page(name, QueryRequest(limit: 10_000)).objects }
    return objects
  }

  /// Returns the changes of the last commit, each object once, whatever the order.
  private func lastChanges(_ store: TemporaryStore) throws -> [String] {
    let start = LogStart.after(LogPosition(version: store.store.version - 1))
    return try store.reading.changes(from: start, limit: 10_000).changes.map { change in
      """
      \(change.objectType) \(change.key) \(change.id) \(change.operation) \(String(describing: change.before)) \
      \(String(describing: change.after)) \(change.elements)
      """
    }.sorted()
  }

  @Test(arguments: ["TRUEPREDICATE", "n != 3", "id < 600", "id >= 1199"], ["delete", "update", "edit"])
  func `it is as if all were done at once`(filter: String, action: String) async throws {
    var outcomes: [(objects: [String], changes: [String], count: Int)] = []
    // With a second operation, which does nothing, all is remembered up to the end.
    for isAlone in [true, false] {
      let store = try await store()
      let type = try store.type("A")
      let done: Operation.Action =
        switch action {
        case "delete": .delete
        case "update":
          .update(
            try type.patch(
              from: Value(json: #"{"text":null,"map":{"k":null,"l":2},"part":{"note":"new"},"list":[1]}"#),
              in: store.store.schema))
        default:
          .edit(
            try type.edit(
              fromOperators: Value(json: #"{"$inc":{"n":10},"$push":{"list":5},"$set":{"part.note":"new"}}"#),
              in: store.store.schema))
        }
      var operations: [Operation] = [.each(try plan(filter, in: store), done)]
      if !isAlone { operations.append(.each(try plan("FALSEPREDICATE", in: store), .delete)) }
      let commit = try await store.store.perform(Transaction(operations))
      #expect(try store.violations() == [])
      outcomes.append((try everything(store), try lastChanges(store), commit.results[0].count))
    }
    #expect(outcomes[0].objects == outcomes[1].objects)
    #expect(outcomes[0].changes == outcomes[1].changes)
    #expect(outcomes[0].count == outcomes[1].count)
    #expect(
      outcomes[0].count
        == ["TRUEPREDICATE": 1200, "n != 3": 960, "id < 600": 600, "id >= 1199": 1][filter])
  }

  @Test func `what it writes has a bound`() async throws {
    var options = StoreOptions()
    // As many KiB as objects.
    options.bulkObjects = Self.count
    let store = try await store(options)
    let text = String(repeating: "x", count: 2000)
    let patch = try store.type("A").patch(from: Value(json: #"{"text":"\#(text)"}"#), in: store.store.schema)
    let before = (store.store.version, try everything(store))
    await #expect(throws: OperationError(operation: 0, reason: .tooManyObjects(limit: Self.count))) {
      try await store.store.perform(Transaction([.each(plan("TRUEPREDICATE", in: store), .update(patch))]))
    }
    #expect(try (store.store.version, everything(store)) == before)
    let commit = try await store.store.perform(
      Transaction([.each(plan("id < 400", in: store), .update(patch))]))
    #expect(commit.results[0].count == 400)
  }

  @Test func `a bound in KiB that no number of bytes reaches is none`() async throws {
    var options = StoreOptions()
    options.bulkObjects = 1 << 54
    let store = try await store(options)
    let patch = try store.type("A").patch(from: Value(json: #"{"text":"x"}"#), in: store.store.schema)
    let commit = try await store.store.perform(
      Transaction([.each(plan("id < 10", in: store), .update(patch))]))
    #expect(commit.results[0].count == 10)
  }

  @Test(arguments: ["delete", "update"])
  func `what is remembered for a hook has a bound`(action: String) async throws {
    var options = StoreOptions()
    options.rememberedBytes = 64 << 10
    let store = try await TemporaryStore(#"[{"name":"T","properties":{"text":"string"}}]"#, options: options)
    let text = String(repeating: "x", count: 4 << 10)
    let creations = try (0..<20).map { _ in try store.creation("T", #"{"text":"\#(text)"}"#) }
    _ = try await store.store.perform(Transaction(creations))
    let all = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE"), schema: store.store.schema, objectType: "T")
    let patch = try store.type("T").patch(from: Value(json: #"{"text":"\#(text)"}"#), in: store.store.schema)
    var transaction = Transaction([.each(all, action == "delete" ? .delete : .update(patch))])
    transaction.hook = CommitHook { _ in [] }
    // The store has 20 objects of 4 KiB each; their values before and after are remembered.
    let limit = action == "delete" ? 15 : 7
    await #expect(throws: OperationError(operation: 0, reason: .tooManyObjects(limit: limit))) {
      try await store.store.perform(transaction)
    }
    #expect(store.store.version == 2)
    #expect(try store.violations() == [])
    // With LIMIT, a part of them is done.
    let some = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE LIMIT(\(limit))"), schema: store.store.schema,
      objectType: "T")
    transaction.operations = [.each(some, action == "delete" ? .delete : .update(patch))]
    #expect(try await store.store.perform(transaction).results[0].count == limit)
  }
}
