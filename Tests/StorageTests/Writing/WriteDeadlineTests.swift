import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Glibc
import Testing

private let schema = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","next":"A?"}}]"#

/// Writes that take too long, or touch too much, end before they are committed, and the others go on.
@Suite struct WriteDeadlineTests {
  private func store(_ options: StoreOptions = StoreOptions(), objects: Int = 200) async throws
    -> TemporaryStore
  {
    let store = try await TemporaryStore(schema)
    for start in stride(from: 0, to: objects, by: 50) {
      let many = try (start..<min(start + 50, objects)).map {
        try store.creation("A", #"{"id":\#($0),"n":\#($0 % 4),"next":0}"#)
      }
      _ = try await store.store.perform(Transaction(many))
    }
    return store
  }

  private func plan(_ filter: String, _ store: Store) throws -> Plan {
    try Plan(request: QueryRequest(filter: filter), schema: store.schema, objectType: "A")
  }

  private func with(_ options: StoreOptions, _ body: (TemporaryStore, Store) async throws -> Void)
    async throws
  {
    let store = try await store()
    try await store.close()
    let limited = try Store(directory: store.directory, options: options)
    try await body(store, limited)
    #expect(try store.violations() == [])
    await limited.close()
  }

  @Test func `what takes longer than it may is given up`() async throws {
    var options = StoreOptions()
    options.writeTime = 1
    try await with(options) { store, limited in
      let patch = try store.type("A").patch(from: Value(json: #"{"n":9}"#), in: limited.schema)
      let all = try plan("TRUEPREDICATE", limited)
      let creations = try (1000..<1100).map { try store.creation("A", #"{"id":\#($0),"n":1}"#) }
      let long: [[Operation]] = [
        [.each(all, .update(patch))], [.each(all, .delete)], creations,
        // 199 objects lose a link.
        [.delete(objectType: "A", id: .int(0), precondition: .none)],
      ]
      for operations in long {
        await #expect {
          try await limited.perform(Transaction(operations))
        } throws: { ($0 as? OperationError)?.reason == .timeLimit }
      }
      await #expect {
        let pieces = Pieces([creations])
        _ = try await limited.load { pieces.next() }
      } throws: { ($0 as? OperationError)?.reason == .timeLimit }
      #expect(limited.version == 5)
      _ = try await limited.perform(Transaction([store.creation("A", #"{"id":5000,"n":1}"#)]))
      #expect(limited.version == 6)
    }
  }

  @Test func `one object with very many elements takes no longer than it may either`() async throws {
    var options = StoreOptions()
    options.writeTime = 1
    let store = try await TemporaryStore(
      """
      [{"name":"C","primaryKey":"id","properties":{"id":"int","list":"int[]","set":"int<>","map":"int{}","parts":"P[]"}},
       {"name":"P","embedded":true,"properties":{"n":"int"}}]
      """, options: options)
    let numbers = (0..<1000).map { "\($0)" }.joined(separator: ",")
    let entries = (0..<1000).map { "\"k\($0)\":1" }.joined(separator: ",")
    let parts = (0..<1000).map { _ in #"{"n":1}"# }.joined(separator: ",")
    try await store.create("C", #"{"id":1}"#)
    for property in [
      "\"list\":[\(numbers)]", "\"set\":[\(numbers)]", "\"map\":{\(entries)}", "\"parts\":[\(parts)]",
    ] {
      let patch = try store.type("C").patch(from: Value(json: "{\(property)}"), in: store.store.schema)
      let operations: [Operation] = [
        try store.creation("C", "{\"id\":2,\(property)}"),
        try store.replacement("C", .int(2), "{\"id\":2,\(property)}"),
        .update(objectType: "C", id: .int(1), patch: patch, precondition: .none),
      ]
      for operation in operations {
        await #expect(throws: OperationError(operation: 0, reason: .timeLimit)) {
          try await store.store.perform(Transaction([operation]))
        }
      }
    }
    #expect(try store.counts() == ["C": 1])
    #expect(try store.violations() == [])
  }

  @Test func `an edit looks at the clock`() async throws {
    var options = StoreOptions()
    options.writeTime = 1
    let store = try await TemporaryStore(schema, options: options)
    try await store.create("A", #"{"id":1,"n":1}"#)
    let edit = try store.type("A").edit(
      fromOperators: Value(json: #"{"$inc":{"n":1}}"#), in: store.store.schema)
    await #expect(throws: OperationError(operation: 0, reason: .timeLimit)) {
      try await store.store.perform(
        Transaction([.edit(objectType: "A", id: .int(1), edit: edit, precondition: .none)]))
    }
  }

  @Test func `what has waited for longer than it may is not begun`() async throws {
    var options = StoreOptions()
    options.writeWait = 1
    try await with(options) { store, limited in
      await #expect(throws: OperationError(operation: 0, reason: .timeLimit)) {
        try await limited.perform(Transaction([store.creation("A", #"{"id":5000,"n":1}"#)]))
      }
      #expect(limited.version == 5)
    }
  }

  @Test func `it fails alone among those that share its commit`() async throws {
    var options = StoreOptions()
    options.writeTime = 1
    try await with(options) { store, limited in
      let long: [Operation] = [.delete(objectType: "A", id: .int(0), precondition: .none)]
      let creations = try (0..<20).map { try [store.creation("A", #"{"id":\#(1000 + $0),"n":1}"#)] }
      let results = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
        for operations in creations + [long] + [long] {
          group.addTask { (try? await limited.perform(Transaction(operations))) != nil }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.count { $0 } == 20)
      #expect(try limited.makeReader().counts().map(\.count) == [220])
    }
  }

  @Test(arguments: ["TRUEPREDICATE", "n < 3"])
  func `what matches more than may be changed at once is refused before it begins`(filter: String)
    async throws
  {
    var options = StoreOptions()
    options.bulkObjects = 100
    try await with(options) { store, limited in
      let patch = try store.type("A").patch(from: Value(json: #"{"n":9}"#), in: limited.schema)
      for action in [Operation.Action.delete, .update(patch)] {
        await #expect(throws: OperationError(operation: 0, reason: .tooManyObjects(limit: 100))) {
          try await limited.perform(Transaction([.each(plan(filter, limited), action)]))
        }
      }
      #expect(limited.version == 5)
      // In parts it is done.
      for rest in [100, 50, 0] where filter == "n < 3" {
        let commit = try await limited.perform(
          Transaction([.each(plan("n < 3 LIMIT(100)", limited), .delete)]))
        #expect(commit.results[0].count == (rest == 100 ? 100 : rest))
      }
    }
  }

  @Test func `whoever is gone has nothing done`() async throws {
    let store = try await store()
    let all = try plan("TRUEPREDICATE", store.store)
    let task = Task { [writing = store.store] in
      // It is cancelled before it begins.
      withUnsafeCurrentTask { $0?.cancel() }
      return try await writing.perform(Transaction([.each(all, .delete)]))
    }
    await #expect { _ = try await task.value } throws: { ($0 as? OperationError)?.reason == .cancelled }
    #expect(try store.counts() == ["A": 200])
  }

  @Test func `a long value for many objects is refused before it is written to them`() async throws {
    var options = StoreOptions()
    options.bulkObjects = 1000
    let store = try await TemporaryStore(
      #"[{"name":"B","properties":{"text":"string"}}]"#, options: options)
    _ = try await store.store.perform(
      Transaction((0..<50).map { _ in try store.creation("B", #"{"text":"a"}"#) }))
    let long = String(repeating: "x", count: 100_000)
    let patch = try store.type("B").patch(from: Value(json: #"{"text":"\#(long)"}"#), in: store.store.schema)
    let all = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE"), schema: store.store.schema, objectType: "B")
    await #expect(throws: OperationError(operation: 0, reason: .tooManyObjects(limit: 1000))) {
      try await store.store.perform(Transaction([.each(all, .update(patch))]))
    }
    #expect(try store.count("B", QueryRequest(filter: "text == 'a'")) == 50)
    var status = stat()
    #expect(stat("\(store.database)-wal", &status) == 0 && status.st_size < 1 << 20)
    #expect(try store.violations() == [])
  }
}
