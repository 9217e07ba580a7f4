import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import GatehouseSeeded
import Synchronization
import Testing

@testable import GatehouseStorage

private let schema =
  #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":{"type":"int","indexed":true}}}]"#

/// Readers that keep a snapshot from one read to the next.
struct SharedSnapshotTests {
  private func page(
    _ reader: Reader, _ store: TemporaryStore, _ filter: String? = nil, limit: Int = 100,
    framing: Reader.Framing = .array
  ) throws -> String {
    let request = QueryRequest(filter: filter, sort: "n, id", limit: limit)
    let plan = try Plan(request: request, schema: store.store.schema, objectType: "A")
    var bytes: [UInt8] = []
    _ = try reader.page(plan, as: .json, framing: framing, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `what has been answered is read, whether the snapshot was released or not`() async throws {
    let store = try await TemporaryStore(schema)
    let reader = try store.store.makeReader(sharesSnapshots: true)
    #expect(try page(reader, store) == "[]")
    #expect(reader.connection.isInTransaction)
    for id in 1...3 {
      try await store.create("A", #"{"id":\#(id),"n":0}"#)
      #expect(try page(reader, store).split(separator: "{").count == id + 1)
      #expect(reader.connection.isInTransaction)
    }
    let name = Record.Name("key", "a")
    #expect(try await store.store.keep([RecordChange(name, [1])]))
    #expect(try reader.record(name) == [1])
    let wider = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","m":"int?"}}]"#
    _ = try await store.apply(wider)
    #expect(try page(reader, store).contains(#""m":null"#))
  }

  @Test func `a snapshot ends when it is released, and with the read where it is not shared`() async throws {
    let store = try await TemporaryStore(schema)
    let reader = try store.store.makeReader(sharesSnapshots: true)
    reader.release()
    _ = try page(reader, store)
    _ = try reader.held { _ throws in try page(reader, store) }
    #expect(reader.connection.isInTransaction)
    reader.release()
    #expect(!reader.connection.isInTransaction)
    let other = try store.store.makeReader()
    _ = try other.held { _ throws in try page(other, store) }
    #expect(!other.connection.isInTransaction)
    _ = try page(other, store)
    #expect(!other.connection.isInTransaction)
  }

  @Test func `an object that is not in memory is read from the snapshot, and after a commit as it is then`()
    async throws
  {
    let store = try await TemporaryStore(schema)
    try await store.create("A", #"{"id":1,"n":0}"#)
    let readers = [try store.store.makeReader(sharesSnapshots: true), try store.store.makeReader()]
    func object(_ reader: Reader, _ id: Int64) throws -> String? {
      var bytes: [UInt8] = []
      let version = try reader.object("A", id: .int(id), projection: nil, as: .json, into: &bytes)
      return version.map { "\($0) \(String(decoding: bytes, as: UTF8.self))" }
    }
    for round in 1...3 {
      let id = Int64(round)
      for reader in readers {
        #expect(try object(reader, id) == #"\#(round + 1) {"id":\#(id),"n":0}"#)
        #expect(try object(reader, id) == #"\#(round + 1) {"id":\#(id),"n":0}"#)
        #expect(try object(reader, id + 1) == nil)
        #expect(reader.connection.isInTransaction == reader.sharesSnapshots)
      }
      try await store.create("A", #"{"id":\#(id + 1),"n":0}"#)
    }
    readers[0].release()
    #expect(try object(readers[0], 4) != nil && readers[0].connection.isInTransaction)
    // A state that is in memory takes no look at the file.
    readers[0].release()
    #expect(try object(readers[0], 4) != nil && !readers[0].connection.isInTransaction)
  }

  @Test func `what fails ends no snapshot that others read from`() async throws {
    let store = try await TemporaryStore(schema)
    let many = try (0..<5000).map { try store.creation("A", #"{"id":\#($0),"n":\#($0)}"#) }
    _ = try await store.store.perform(Transaction(many))
    let reader = try store.store.makeReader(sharesSnapshots: true)
    let all = try page(reader, store)
    // Too much work for an event loop.
    let count = try reader.briefly { try page($0, store, "n + id == -1") }
    #expect(count == nil && reader.connection.isInTransaction)
    #expect(try page(reader, store) == all)
  }

  @Test(arguments: [false, true])
  func `a snapshot that SQLite has ended is read no further`(_ sharesSnapshots: Bool) async throws {
    let store = try await TemporaryStore(schema)
    try await store.create("A", #"{"id":1,"n":1}"#)
    let reader = try store.store.makeReader(sharesSnapshots: sharesSnapshots)
    let statement = try reader.connection.prepare("SELECT abs(-9223372036854775808)")
    #expect(throws: StorageError.self) {
      try reader.snapshot { (snapshot) throws(StorageError) in
        #expect(snapshot.version == 2)
        // As it does where a page cannot be read.
        try? reader.connection.execute("ROLLBACK")
        #expect((try? reader.session.step(statement)) == nil)
        _ = try snapshot.object("A", id: .int(1))
      }
    }
    let object = try reader.snapshot { (snapshot) throws(StorageError) in
      try snapshot.object("A", id: .int(1))
    }
    #expect(object != nil)
  }

  /// The places of a property are others in the file before readers know of it.
  @Test(arguments: [false, true])
  func `no read fails because the schema is just being changed`(_ sharesSnapshots: Bool) async throws {
    let store = try await TemporaryStore(schema)
    try await store.create("A", #"{"id":1,"n":0}"#)
    let flag = Flag()
    let shared = store.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for isHeld in [false, true] {
        group.addTask {
          let reader = try shared.makeReader(sharesSnapshots: sharesSnapshots)
          // Not from memory.
          func object() throws -> String {
            var bytes: [UInt8] = []
            _ = try reader.object("A", id: .int(1), projection: nil, as: .extendedJSON, into: &bytes)
            return String(decoding: bytes, as: UTF8.self)
          }
          while !flag.isDone.load(ordering: .relaxed) {
            let text = isHeld ? try reader.held { _ throws in try object() } : try object()
            #expect(text.hasPrefix(#"{"id":{"$numberLong":"1"}"#), "\(text)")
            await Task.yield()
          }
        }
      }
      for round in 0..<300 {
        let type = round % 2 == 0 ? "int?" : "string?"
        let next = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int","m":"\#(type)"}}]"#
        _ = try await store.apply(next, destructive: true)
      }
      flag.isDone.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
  }

  /// Commits are in the file before others know what they changed, and objects in the cache.
  @Test(arguments: [false, true])
  func `a page shows one state, whatever is committed meanwhile`(_ sharesSnapshots: Bool) async throws {
    let store = try await TemporaryStore(schema)
    let count = 20
    _ = try await store.store.perform(
      Transaction(try (0..<count).map { try store.creation("A", #"{"id":\#($0),"n":0}"#) }))
    let request = QueryRequest(sort: "id", limit: 100)
    let plan = try Plan(request: request, schema: store.store.schema, objectType: "A")
    let flag = Flag()
    let shared = store.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let reader = try shared.makeReader(sharesSnapshots: sharesSnapshots)
          while !flag.isDone.load(ordering: .relaxed) {
            var bytes: [UInt8] = []
            _ = try reader.page(plan, as: .json, framing: .array, into: &bytes)
            let numbers = Self.numbers(bytes)
            #expect(numbers.count == count && numbers.reduce(0, +) == 0)
            await Task.yield()
          }
        }
      }
      var random = SeededGenerator(seed: 3)
      var numbers = Array(repeating: 0, count: count)
      for _ in 0..<2000 {
        let (from, to) = (
          Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
        )
        numbers[from] -= 1
        numbers[to] += 1
        let patches = try Set([from, to]).map {
          try store.patch("A", .int(Int64($0)), #"{"n":\#(numbers[$0])}"#)
        }
        _ = try await store.store.perform(Transaction(patches))
      }
      flag.isDone.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
  }

  /// Returns the value of `n` of each object.
  private static func numbers(_ page: [UInt8]) -> [Int] {
    String(decoding: page, as: UTF8.self).split(separator: "{").dropFirst().compactMap { object in
      object.split(separator: "\"n\":").last.flatMap { Int($0.prefix { $0 == "-" || $0.isNumber }) }
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `pages of cached objects are those that rows give, whatever is written`(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try await TemporaryStore(schema)
    _ = try await store.store.perform(
      Transaction(try (0..<60).map { try store.creation("A", #"{"id":\#($0),"n":\#($0 % 7)}"#) }))
    let shared = try store.store.makeReader(sharesSnapshots: true)
    let fresh = try store.store.makeReader()
    for round in 0..<300 {
      let id = Int.random(in: 0..<60, using: &random)
      switch UInt8.random(in: 0..<8, using: &random) {
      case 0 where try store.version("A", .int(Int64(id))) != nil:
        _ = try await store.store.perform(
          Transaction([.delete(objectType: "A", id: .int(Int64(id)), precondition: .none)]))
      case 1, 2:
        try await store.perform(
          store.creation("A", #"{"id":\#(id),"n":\#(round)}"#, .modified))
      case 3: shared.release()
      default: break
      }
      let filter = "n > \(Int.random(in: -1..<6, using: &random))"
      let lines = try page(fresh, store, filter, limit: 20, framing: .sequence)
      let expected = "[" + lines.split(separator: "\n").joined(separator: ",") + "]"
      #expect(try page(shared, store, filter, limit: 20) == expected)
    }
  }
}
