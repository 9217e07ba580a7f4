import Dispatch
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import Testing

@testable import GatehouseStorage

struct InteractiveWriteTests {
  private static let schema = """
    [{"name": "Dog", "primaryKey": "name", "properties": {"name": "string", "age": "int?", "friends": "Dog[]",
      "tags": "string[]", "collar": "Collar"}},
     {"name": "Collar", "embedded": true, "properties": {"size": "int"}},
     {"name": "Note", "properties": {"text": "string"}}]
    """

  private func dog(_ name: String, age: Int64? = nil) -> ObjectDraft {
    ObjectDraft(assignments: [
      .init(property: 0, value: .value(.string(name))),
      .init(property: 1, value: .value(age.map { .int($0) } ?? .null)),
    ])
  }

  private func plan(_ store: Store, _ filter: String) throws -> Plan {
    try Plan(request: QueryRequest(filter: filter), schema: store.schema, objectType: "Dog")
  }

  @Test func `it reads what it has changed, and nobody else does before the commit`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let store = temporary.store
    let before = store.version
    let write = try store.beginWrite()
    let rex = try write.create("Dog", dog("Rex", age: 3))
    try write.change(1, of: rex, by: .assign(.value(.int(4))))
    let old = try plan(store, "age == 4")
    #expect(try write.read { reader throws(StorageError) in try reader.keys(of: old) } == [rex.key])
    #expect(try write.read { reader throws(StorageError) in try reader.values(of: rex)?[1] } == .int(4))
    #expect(try temporary.object("Dog", .string("Rex")) == nil)
    #expect(try write.commit() == before + 1)
    #expect(
      try temporary.object("Dog", .string("Rex"))
        == #"{"name":"Rex","age":4,"friends":[],"tags":[],"collar":null}"#)
    let changes = try temporary.changes(from: .after(LogPosition(version: before)))
    #expect(changes.changes.count == 1)
  }

  @Test func `what is cancelled, or let go of, has never happened`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let before = temporary.store.version
    let write = try temporary.store.beginWrite()
    _ = try write.create("Dog", dog("Rex"))
    write.cancel()
    do {
      let write = try temporary.store.beginWrite()
      _ = try write.create("Dog", dog("Max"))
    }
    #expect(temporary.store.version == before)
    #expect(try temporary.counts()["Dog"] == 0)
    // The writer goes on.
    try await temporary.create("Dog", #"{"name": "Ben"}"#)
    #expect(try temporary.counts()["Dog"] == 1)
  }

  @Test func `an operation that fails leaves the others`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite()
    _ = try write.create("Dog", dog("Rex"))
    #expect(throws: StorageError.objectExists(objectType: "Dog", id: .string("Rex"))) {
      _ = try write.create("Dog", dog("Rex"))
    }
    let version = try write.commit()
    #expect(try temporary.counts()["Dog"] == 1)
    // The log knows nothing of the one that failed either.
    let changes = try temporary.changes(from: .after(LogPosition(version: version - 1)))
    #expect(changes.changes.count == 1)
    #expect(try temporary.violations() == [])
  }

  @Test func `nothing is logged of an operation that is refused, nor of one that changes elements before`()
    async throws
  {
    let temporary = try await TemporaryStore(
      #"""
      [{"name": "Dog", "primaryKey": "name", "properties": {"name": "string", "chip": {"type": "int?", "unique": true},
        "tags": "string[]", "more": "mixed"}}]
      """#)
    try await temporary.create("Dog", #"{"name": "Rex", "chip": 1, "tags": ["a"], "more": 1}"#)
    try await temporary.create("Dog", #"{"name": "Max", "chip": 2}"#)
    let before = temporary.store.version
    func refused(_ write: InteractiveWrite, of row: RowAddress) {
      #expect(throws: StorageError.self) { try write.change(1, of: row, by: .assign(.value(.int(2)))) }
      #expect(throws: StorageError.self) {
        try write.change(3, of: row, inside: ["x", "y"], by: .assign(.value(.int(1))))
      }
    }
    let rex = RowAddress(table: 0, key: 0)
    let write = try temporary.store.beginWrite()
    refused(write, of: rex)
    #expect(try write.commit() == before)
    let other = try temporary.store.beginWrite()
    try other.change(2, of: rex, by: .insert([.value(.string("b"))], at: 0))
    refused(other, of: rex)
    #expect(try other.commit() == before + 1)
    let changes = try temporary.changes(from: .after(LogPosition(version: before))).changes
    #expect(changes.count == 1 && changes[0].contains("tags"), "\(changes)")
    #expect(!changes[0].contains("chip") && !changes[0].contains("more"), "\(changes)")
    #expect(try temporary.violations() == [])
  }

  @Test func `objects come behind one that is refused, however many there are`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite()
    for number in 0..<12 {
      _ = try write.create("Dog", dog("Dog \(number)"))
      #expect(throws: StorageError.objectExists(objectType: "Dog", id: .string("Dog 0"))) {
        _ = try write.create("Dog", dog("Dog 0"))
      }
    }
    let version = try write.commit()
    let changes = try temporary.changes(from: .after(LogPosition(version: version - 1)))
    #expect(changes.changes.count == 12)
  }

  @Test func `one that fails, and links to itself, leaves no link`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite()
    _ = try write.create("Dog", dog("Rex"))
    var draft = dog("Rex")
    draft.assign(.list([.link(objectType: "Dog", primaryKey: .string("Rex"))]), to: 2)
    #expect(throws: StorageError.objectExists(objectType: "Dog", id: .string("Rex"))) {
      _ = try write.create("Dog", draft)
    }
    _ = try write.commit()
    #expect(try temporary.counts()["Dog"] == 1)
  }

  @Test func `behind an operation that is half done nothing more is taken`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let before = temporary.store.version
    let write = try temporary.store.beginWrite()
    var draft = dog("Rex")
    draft.assign(.list([.link(objectType: "Cat", primaryKey: .string("Tom"))]), to: 2)
    let reason = StorageError.unknownClass("Cat")
    #expect(throws: reason) { _ = try write.create("Dog", draft) }
    #expect(throws: reason) { _ = try write.create("Dog", dog("Max")) }
    #expect(throws: reason) { _ = try write.commit() }
    #expect(temporary.store.version == before)
    #expect(try temporary.counts()["Dog"] == 0)
    try await temporary.create("Dog", #"{"name": "Ben"}"#)
    #expect(try temporary.violations() == [])
  }

  @Test func `where SQLite has ended the transaction nothing more is written`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let before = temporary.store.version
    let write = try temporary.store.beginWrite()
    let connection = write.reader.session.connection
    // No more than there are.
    try connection.execute("PRAGMA max_page_count = 1")
    let text = String(repeating: "x", count: 1 << 20)
    let note = ObjectDraft(assignments: [.init(property: 0, value: .value(.string(text)))])
    #expect(throws: StorageError.diskFull) { _ = try write.create("Note", note) }
    #expect(!connection.isInTransaction)
    #expect(throws: StorageError.self) { _ = try write.create("Dog", dog("Max")) }
    #expect(throws: StorageError.self) { try write.read { _ in } }
    #expect(throws: StorageError.self) { _ = try write.commit() }
    try connection.execute("PRAGMA max_page_count = 1073741823")
    #expect(temporary.store.version == before)
    #expect(try temporary.counts()["Dog"] == 0)
    try await temporary.create("Dog", #"{"name": "Ben"}"#)
    #expect(temporary.store.version == before + 1)
    #expect(try temporary.violations() == [])
  }

  @Test func `a nested transaction of a thread is refused`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite()
    #expect(throws: StorageError.nestedWrite) { _ = try temporary.store.beginWrite() }
    #expect(throws: StorageError.nestedWrite) { _ = try temporary.store.keepAndWait([]) }
    _ = try write.commit()
    _ = try temporary.store.beginWrite()
  }

  @Test func `one that takes too long is rolled back, and others go on`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite(limit: 300_000_000)
    try await temporary.create("Dog", #"{"name": "Ben"}"#)
    #expect(throws: StorageError.timeLimit) { _ = try write.create("Dog", dog("Rex")) }
    #expect(throws: StorageError.timeLimit) { _ = try write.commit() }
    #expect(try temporary.counts()["Dog"] == 1)
  }

  @Test func `lists, and embedded objects, change by rows`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let write = try temporary.store.beginWrite()
    let rex = try write.create("Dog", dog("Rex"))
    let max = try write.create("Dog", dog("Max"))
    try write.change(
      2, of: rex,
      by: .insert([.link(objectType: "Dog", primaryKey: .string("Max"))], at: nil))
    try write.change(3, of: rex, by: .insert([.value(.string("a")), .value(.string("b"))], at: 0))
    try write.change(3, of: rex, at: .index(1), by: .assign(.value(.string("c"))))
    try write.change(
      4, of: rex,
      by: .assign(.embedded(ObjectDraft(assignments: [.init(property: 0, value: .value(.int(1)))]))))
    let collar = try write.read { reader throws(StorageError) in try reader.values(of: rex)?[4] }
    guard case .link(let link)? = collar else {
      Issue.record("no collar")
      return
    }
    let row = RowAddress(table: 1, key: link.key.value)
    try write.change(0, of: row, by: .assign(.value(.int(7))))
    #expect(
      try write.read { reader throws(StorageError) in try reader.elements(2, of: rex) }
        == [.link(ObjectLink(objectType: "Dog", key: ObjectKey(max.key)))])
    let place = try write.read { reader throws(StorageError) in try reader.place(ofEmbedded: row) }
    #expect(place?.owner == rex && place?.property == 4 && place?.element == nil)
    _ = try write.commit()
    #expect(
      try temporary.object("Dog", .string("Rex"))
        == #"{"name":"Rex","age":null,"friends":["Max"],"tags":["a","c"],"collar":{"size":7}}"#)
    #expect(try temporary.violations() == [])
  }

  @Test func `deleting takes links away`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"name": "Max"}"#)
    try await temporary.create("Dog", #"{"name": "Rex", "friends": ["Max"]}"#)
    let write = try temporary.store.beginWrite()
    let max = try write.read { reader throws(StorageError) in try reader.find(.string("Max"), in: 0) }
    try write.delete(try #require(max))
    _ = try write.commit()
    #expect(
      try temporary.object("Dog", .string("Rex"))
        == #"{"name":"Rex","age":null,"friends":[],"tags":[],"collar":null}"#)
  }

  @Test func `the schema changes while the thread waits`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    let schema = try Schema(notation: Value(json: #"[{"name": "Cat", "properties": {"name": "string"}}]"#))
    let outcome = try temporary.store.applyAndWait(
      Schema(temporary.store.schema.objectTypes + schema.objectTypes), destructive: false)
    #expect(outcome.changed)
    #expect(temporary.store.schema["Cat"] != nil)
    #expect(try temporary.store.keepAndWait([RecordChange(Record.Name("a", "b"), [1])]))
    #expect(
      try temporary.store.pin().read { reader throws(StorageError) in
        try reader.record(Record.Name("a", "b"))
      } == [1])
  }

  @Test func `what links to an object that could not be created still waits for it`() async throws {
    let schema = """
      [{"name": "Dog", "primaryKey": "name",
        "properties": {"name": "string", "tag": {"type": "int?", "unique": true}, "friend": "Dog"}}]
      """
    let temporary = try await TemporaryStore(schema)
    let before = temporary.store.version
    let write = try temporary.store.beginWrite()
    func draft(_ json: String) throws -> ObjectDraft {
      try temporary.type("Dog").draft(from: Value(json: json), in: temporary.store.schema, mode: .create)
    }
    _ = try write.create("Dog", draft(#"{"name": "Rex", "tag": 1, "friend": "Max"}"#))
    #expect(throws: StorageError.self) {
      _ = try write.create("Dog", draft(#"{"name": "Max", "tag": 1}"#))
    }
    #expect(throws: StorageError.linkTargetNotFound(objectType: "Dog", primaryKey: .string("Max"))) {
      _ = try write.commit()
    }
    #expect(temporary.store.version == before)
    #expect(try temporary.violations() == [])
  }

  @Test func `behind an operation that took too long nothing more is taken, and nothing of it is logged`()
    async throws
  {
    var options = StoreOptions()
    options.writeTime = 1
    let temporary = try await TemporaryStore(Self.schema, options: options)
    let store = temporary.store
    // The clock is looked at now and then: at some count of operations it is in a deletion.
    for count in 0..<70 {
      try await temporary.create("Dog", #"{"name": "Rex", "collar": {"size": 1}}"#)
      let write = try store.beginWrite()
      let rex = try #require(
        try write.read { reader throws(StorageError) in try reader.find(.string("Rex"), in: 0) })
      let max = try write.create("Dog", dog("Max"))
      for age in 0..<count { try? write.change(1, of: max, by: .assign(.value(.int(Int64(age))))) }
      try? write.delete(rex)
      _ = try? write.commit()
      #expect(try temporary.violations() == [], "\(count) changes")
      let logged = try temporary.changes(from: .oldest, limit: 10_000).changes
      let balance = ["insert", "delete"].map { kind in
        logged.count { $0.contains(#""class":"Dog""#) && $0.contains(#""operation":"\#(kind)""#) }
      }
      #expect(try temporary.counts()["Dog"] == balance[0] - balance[1], "\(count) changes")
      for name in ["Rex", "Max"] where try temporary.object("Dog", .string(name)) != nil {
        try await temporary.perform(.delete(objectType: "Dog", id: .string(name), precondition: .none))
      }
    }
  }
}
