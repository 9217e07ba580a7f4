import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// No object comes to more bytes than one may have, by whatever way.
@Suite struct ObjectSizeTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string?","texts":"string[]","map":"string{}",
      "any":"mixed","part":"Part?","data":"data?"}},
     {"name":"Part","embedded":true,"properties":{"text":"string?"}}]
    """

  private static let tooLarge = StorageError.objectTooLarge(objectType: "A", limit: 4096)

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func store() async throws -> TemporaryStore {
    var options = StoreOptions()
    options.objectSize = 4096
    let store = try await TemporaryStore(Self.schema, options: options)
    try await store.create("A", #"{"id":1,"text":"\#(Self.text(3000))"}"#)
    return store
  }

  private func edit(_ store: TemporaryStore, _ json: String) throws -> ObjectEdit {
    let value = try Value(json: json)
    let type = try store.type("A")
    if case .array = value { return try type.edit(fromJSONPatch: value, in: store.store.schema) }
    return try type.edit(fromOperators: value, in: store.store.schema)
  }

  private func refuse(
    _ operations: [Operation], at index: Int = 0, in store: TemporaryStore
  ) async throws {
    let (version, before) = (store.store.version, try store.page("A", QueryRequest()).objects)
    await #expect(throws: OperationError(operation: index, reason: Self.tooLarge)) {
      try await store.store.perform(Transaction(operations))
    }
    #expect(store.store.version == version)
    #expect(try store.page("A", QueryRequest()).objects == before)
    #expect(try store.violations() == [])
  }

  @Test(arguments: [
    #"{"id":2,"texts":[\#(Array(repeating: #""""#, count: 257).joined(separator: ","))]}"#,
    #"{"id":2,"any":[\#(Array(repeating: "0", count: 257).joined(separator: ","))]}"#,
  ])
  func `one with more elements than rows it may have, however small`(json: String) async throws {
    let store = try await store()
    try await refuse([store.creation("A", json)], in: store)
    try await refuse([store.creation("A", json, .all)], in: store)
    try await refuse([store.replacement("A", .int(2), json)], in: store)
    let patch = try store.type("A").patch(
      from: Value(json: json.replacing("\"id\":2,", with: "")), in: store.store.schema)
    try await refuse(
      [.update(objectType: "A", id: .int(1), patch: patch, precondition: .none)], in: store)
  }

  @Test(arguments: [
    #"{"id":2,"text":"\#(text(4096))"}"#, #"{"id":2,"data":"\#(text(5600))"}"#,
    #"{"id":2,"texts":["\#(text(2000))","\#(text(2000))","\#(text(2000))"]}"#,
    #"{"id":2,"map":{"a":"\#(text(2000))","b":"\#(text(2096))"}}"#,
    #"{"id":2,"any":[["\#(text(4096))"]]}"#, #"{"id":2,"part":{"text":"\#(text(4096))"}}"#,
  ])
  func `a new one`(json: String) async throws {
    let store = try await store()
    let fine = try store.creation("A", #"{"id":3}"#)
    try await refuse([fine, store.creation("A", json)], at: 1, in: store)
    try await refuse([fine, store.creation("A", json, .all)], at: 1, in: store)
    try await refuse([fine, store.replacement("A", .int(2), json)], at: 1, in: store)
    try await refuse(
      [fine, store.replacement("A", .int(1), json.replacing("\"id\":2,", with: "\"id\":1,"))], at: 1,
      in: store)
    let pieces = Pieces([[fine], [try store.creation("A", json)]])
    await #expect(throws: OperationError(operation: 1, reason: Self.tooLarge)) {
      try await store.store.load { pieces.next() }
    }
    #expect(try store.counts() == ["A": 1])
  }

  @Test(arguments: [
    #"[{"op":"copy","from":"/text","path":"/any"}]"#,
    #"[{"op":"add","path":"/texts/-","value":"\#(text(1200))"}]"#,
    #"[{"op":"copy","from":"/text","path":"/texts/-"},{"op":"copy","from":"/text","path":"/texts/-"}]"#,
    #"{"$push":{"texts":"\#(text(1200))"}}"#, #"{"$set":{"any":"\#(text(1200))","texts":["x"]}}"#,
  ])
  func `one that an edit lets grow`(json: String) async throws {
    let store = try await store()
    let edit = try edit(store, json)
    try await refuse([.edit(objectType: "A", id: .int(1), edit: edit, precondition: .none)], in: store)
    let all = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE"), schema: store.store.schema, objectType: "A")
    try await refuse([.each(all, .edit(edit))], in: store)
  }

  @Test(arguments: [
    #"{"any":"\#(text(1200))"}"#, #"{"map":{"k":"\#(text(1200))"}}"#, #"{"part":{"text":"\#(text(1200))"}}"#,
  ])
  func `one that a merge patch lets grow`(json: String) async throws {
    let store = try await store()
    try await refuse([store.patch("A", .int(1), json)], in: store)
    let patch = try store.type("A").patch(from: Value(json: json), in: store.store.schema)
    let all = try Plan(
      request: QueryRequest(filter: "TRUEPREDICATE"), schema: store.store.schema, objectType: "A")
    try await refuse([.each(all, .update(patch))], in: store)
  }

  @Test func `one that grows element by element, and shrinks in between`() async throws {
    let store = try await store()
    let type = try store.type("A")
    let path = try ResourcePath(["texts"], of: type, in: store.store.schema)
    func change(_ change: PropertyChange) -> Operation {
      .change(objectType: "A", id: .int(1), path: path, change: change, precondition: .none)
    }
    let piece = DraftValue.value(.string(Self.text(100)))
    // 3,000 bytes and what names take are there: ten more pieces fit.
    for _ in 0..<9 { try await store.perform(change(.insert([piece], at: nil))) }
    try await refuse([change(.insert([piece, piece], at: nil))], in: store)
    for _ in 0..<100 {
      try await store.perform(change(.removeElements(from: 0, count: 1)))
      try await store.perform(change(.insert([piece], at: nil)))
    }
    try await refuse([change(.insert([piece, piece], at: nil))], in: store)
    #expect(try store.count("A", QueryRequest(filter: "texts.@count == 9")) == 1)
  }

  @Test func `one that is larger already may change, and become smaller`() async throws {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("A", #"{"id":1,"text":"\#(Self.text(9000))","any":1}"#)
    try await store.close()
    var options = StoreOptions()
    options.objectSize = 4096
    let limited = try Store(directory: store.directory, options: options)
    func patch(_ json: String) throws -> Operation {
      let patch = try store.type("A").patch(from: Value(json: json), in: limited.schema)
      return .update(objectType: "A", id: .int(1), patch: patch, precondition: .none)
    }
    _ = try await limited.perform(Transaction([patch(#"{"any":2}"#)]))
    _ = try await limited.perform(Transaction([patch(#"{"text":"\#(Self.text(8000))"}"#)]))
    await #expect(throws: OperationError(operation: 0, reason: Self.tooLarge)) {
      try await limited.perform(Transaction([patch(#"{"any":"grown"}"#)]))
    }
    _ = try await limited.perform(Transaction([patch(#"{"text":null,"any":"grown"}"#)]))
    await limited.close()
  }
}
