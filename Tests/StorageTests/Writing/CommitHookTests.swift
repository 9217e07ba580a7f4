import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Synchronization
import Testing

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?","s":{"type":"string","default":""},"list":"int[]",
    "set":"int<>","map":"string{}","link":"A","links":"A[]","e":"E","es":"E[]","mixed":"mixed"}},
   {"name":"E","embedded":true,"properties":{"x":"int","y":"string?"}},
   {"name":"Log","primaryKey":"id","properties":{"id":"int","text":"string"}}]
  """

/// Keeps what a hook was told.
private final class Notes: Sendable {
  private let changeSet = Mutex<[[ObjectChange]]>([])

  var all: [[ObjectChange]] { changeSet.withLock { $0 } }
  var last: [ObjectChange] { all.last ?? [] }

  func hook(_ operations: [GatehouseStorage.Operation] = []) -> CommitHook {
    CommitHook { changeSet in
      self.changeSet.withLock { $0.append(changeSet.objects) }
      return operations
    }
  }
}

private func state(_ store: TemporaryStore) throws -> [Int64: Mixed] {
  let images = try store.reading.images(of: "A", after: nil, limit: 1000)
  return Dictionary(uniqueKeysWithValues: images.map { ($0.key.value, $0.image) })
}

private func values(_ image: Mixed?) -> [String: Mixed] {
  guard case .dictionary(let entries)? = image else { return [:] }
  return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
}

/// A transaction of valid operations on objects 0 to 7, of which `there` exist.
private func operations(
  _ store: TemporaryStore, _ there: inout Set<Int>, _ generator: inout SeededGenerator
) throws -> [GatehouseStorage.Operation] {
  func embedded() -> String { #"{"x":\#(Int.random(in: 0...2, using: &generator))}"# }
  func value() -> String {
    let small = Int.random(in: 0...2, using: &generator)
    let target = there.sorted().randomElement(using: &generator).map(String.init) ?? "null"
    let all = [
      #""n":\#(small)"#, #""n":null"#, #""s":"\#(small)""#, #""list":[\#(small),1]"#, #""set":[\#(small),1]"#,
      #""map":{"a":"\#(small)"}"#, #""link":\#(target)"#,
      target == "null" ? #""links":[]"# : #""links":[\#(target)]"#,
      #""e":\#(embedded())"#, #""e":null"#, #""es":[\#(embedded()),\#(embedded())]"#, #""mixed":\#(small)"#,
    ]
    return all.randomElement(using: &generator) ?? all[0]
  }
  var list: [GatehouseStorage.Operation] = []
  for _ in 0..<Int.random(in: 1...6, using: &generator) {
    let id = Int.random(in: 0..<8, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0 where there.contains(id):
      list.append(.delete(objectType: "A", id: .int(Int64(id)), precondition: .none))
      there.remove(id)
    case 1 where there.contains(id):
      list.append(try store.replacement("A", .int(Int64(id)), #"{"id":\#(id),\#(value())}"#))
    case _ where there.contains(id): list.append(try store.patch("A", .int(Int64(id)), "{\(value())}"))
    default:
      list.append(try store.creation("A", #"{"id":\#(id),\#(value())}"#))
      there.insert(id)
    }
  }
  return list
}

@Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
func `the net effect of random transactions is the difference of before and after`(seed: UInt64) async throws
{
  let store = try await TemporaryStore(schema)
  var generator = SeededGenerator(seed: seed)
  var there: Set<Int> = []
  for _ in 0..<60 {
    let notes = Notes()
    let before = try state(store)
    var transaction = Transaction(try operations(store, &there, &generator))
    transaction.hook = notes.hook()
    _ = try await store.store.perform(transaction)
    let after = try state(store)
    let told = Dictionary(grouping: notes.last.filter { $0.objectType == "A" }) { $0.key.value }
    let parts = notes.last.filter { $0.objectType == "E" }
    #expect(parts.allSatisfy { $0.ownerType == "A" && $0.before != $0.after })
    for key in Set(before.keys).union(after.keys) {
      let found = told[key] ?? []
      try #require(found.count <= 1)
      // The values are those before and after the transaction, whatever was written in between.
      if let object = found.first {
        #expect(
          values(object.before) == values(before[key]) && values(object.after) == values(after[key]),
          "seed \(seed)")
      }
      let (old, new) = (values(before[key]), values(after[key]))
      let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
      if before[key] == nil || after[key] == nil {
        #expect(found.count == 1, "seed \(seed)")
      } else if changed.isSubset(of: ["e", "es"]), !changed.isEmpty {
        #expect(found.count == 1 || !parts.isEmpty, "seed \(seed)")
      } else if !changed.isEmpty {
        let written = try #require(found.first).written
        #expect(changed.subtracting(["e", "es"]).isSubset(of: written), "seed \(seed)")
      }
    }
    #expect(Set(told.keys).isSubset(of: Set(before.keys).union(after.keys)), "seed \(seed)")
  }
}

@Test func `what follows from a transaction is in its commit, and fails it`() async throws {
  let store = try await TemporaryStore(schema)
  let notes = Notes()
  var transaction = Transaction([try store.creation("A", #"{"id":1}"#)])
  transaction.hook = notes.hook([try store.creation("Log", #"{"id":1,"text":"made"}"#)])
  let version = try await store.store.perform(transaction).version
  #expect(try store.reading.version("Log", id: .int(1)) == version)
  #expect(try store.reading.version("A", id: .int(1)) == version)
  var second = Transaction([try store.creation("A", #"{"id":2}"#)])
  second.hook = notes.hook([try store.creation("Log", #"{"id":1,"text":"again"}"#)])
  await #expect(throws: OperationError.self) { _ = try await store.store.perform(second) }
  #expect(try store.reading.version("A", id: .int(2)) == nil)
}

@Test func `an object of a hook that links to nothing fails the transaction`() async throws {
  let store = try await TemporaryStore(schema)
  var transaction = Transaction([try store.creation("A", #"{"id":1}"#)])
  transaction.hook = Notes().hook([try store.creation("A", #"{"id":2,"link":9}"#)])
  let missing = StorageError.linkTargetNotFound(objectType: "A", primaryKey: .int(9))
  await #expect(throws: OperationError(operation: 0, reason: missing)) {
    try await store.store.perform(transaction)
  }
  #expect(try store.reading.version("A", id: .int(1)) == nil)
  #expect(try store.violations() == [])
}

/// Returns the log's lines about classes, without the schema's changes.
private func logged(_ store: TemporaryStore) throws -> [String] {
  try store.changes().changes.filter { !$0.contains(#""operation":"schema""#) }.map { change in
    String(change.drop { $0 != "," }.dropFirst())
  }
}

@Test func `what follows from a transaction stands behind it in the log, with all its values`() async throws {
  let store = try await TemporaryStore(schema)
  let notes = Notes()
  var transaction = Transaction([try store.creation("A", #"{"id":1}"#)])
  transaction.hook = notes.hook([
    try store.creation("Log", #"{"id":2,"text":"second"}"#),
    try store.creation("Log", #"{"id":1,"text":"é\n"}"#),
  ])
  _ = try await store.store.perform(transaction)
  var alone = Transaction([])
  alone.hook = notes.hook([try store.creation("Log", #"{"id":3,"text":""}"#)])
  let version = try await store.store.perform(alone).version
  #expect(version == 3)
  let time = #""time":"2023-11-14T22:13:20Z""#
  let log = try logged(store)
  #expect(log.first?.hasPrefix(#""n":0,\#(time),"class":"A","id":1,"operation":"insert""#) == true)
  #expect(
    Array(log.dropFirst()) == [
      #""n":1,\#(time),"class":"Log","id":2,"operation":"insert","after":{"id":2,"text":"second"}}"#,
      #""n":2,\#(time),"class":"Log","id":1,"operation":"insert","after":{"id":1,"text":"é\n"}}"#,
      #""n":0,\#(time),"class":"Log","id":3,"operation":"insert","after":{"id":3,"text":""}}"#,
    ])
  #expect(try store.reading.counts().contains { $0.objectType == "Log" && $0.count == 3 })
}

@Test func `what follows may be other operations as well, in their order`() async throws {
  let store = try await TemporaryStore(schema)
  let notes = Notes()
  var transaction = Transaction([try store.creation("A", #"{"id":1}"#)])
  transaction.hook = notes.hook([
    try store.creation("Log", #"{"id":1,"text":"made"}"#),
    try store.patch("Log", .int(1), #"{"text":"changed"}"#),
    .delete(objectType: "A", id: .int(1), precondition: .none),
  ])
  _ = try await store.store.perform(transaction)
  let time = #""time":"2023-11-14T22:13:20Z""#
  #expect(
    try logged(store) == [
      #""n":0,\#(time),"class":"Log","id":1,"operation":"insert","after":{"id":1,"text":"changed"}}"#
    ])
}

@Test func `a change inside an embedded object is that object's, another one in its place is the owner's`()
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.perform(store.creation("A", #"{"id":1,"e":{"x":1,"y":"k"},"es":[{"x":1},{"x":2}]}"#))
  let notes = Notes()
  func perform(_ operation: GatehouseStorage.Operation) async throws -> [String] {
    var transaction = Transaction([operation])
    transaction.hook = notes.hook()
    _ = try await store.store.perform(transaction)
    return notes.last.map { "\($0.ownerType) \($0.objectType) \($0.written.sorted().joined(separator: ","))" }
  }
  #expect(try await perform(store.patch("A", .int(1), #"{"e":{"x":2}}"#)) == ["A E x,y"])
  #expect(try await perform(store.patch("A", .int(1), #"{"n":1,"e":{"x":3}}"#)) == ["A A n", "A E x,y"])
  #expect(try await perform(store.patch("A", .int(1), #"{"e":null}"#)) == ["A A e"])
  #expect(try await perform(store.patch("A", .int(1), #"{"es":[{"x":5}]}"#)) == ["A A es"])
}

@Test func `a load tells its hook of each piece`() async throws {
  let store = try await TemporaryStore(schema)
  let notes = Notes()
  let pieces = try (0..<3).map { [try store.creation("A", #"{"id":\#($0)}"#)] }
  let next = Mutex(0)
  _ = try await store.store.load(idempotency: nil, hook: notes.hook()) {
    next.withLock { next in
      defer { next += 1 }
      return pieces.indices.contains(next) ? pieces[next] : nil
    }
  }
  #expect(notes.all.map(\.count) == [1, 1, 1, 0])
}

@Test func `a appendOnly class is written and changed with privileges only`() async throws {
  var options = StoreOptions()
  options.appendOnlyClasses = ["Log"]
  let store = try await TemporaryStore(
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]"#, options: options)
  let all = try Schema(notation: Value(json: schema))
  await #expect(throws: StorageError.appendOnlyClass("Log")) {
    _ = try await store.store.apply(all, destructive: true)
  }
  _ = try await store.store.apply(all, destructive: false, privileged: true)
  let creation = try store.creation("Log", #"{"id":1,"text":"t"}"#)
  await #expect(throws: OperationError(operation: 0, reason: .appendOnlyClass("Log"))) {
    _ = try await store.store.perform(Transaction([creation]))
  }
  var transaction = Transaction([creation])
  transaction.isPrivileged = true
  _ = try await store.store.perform(transaction)
  let others = Schema(all.objectTypes.filter { $0.name != "Log" })
  #expect(try await store.store.apply(others, destructive: true).changed == false)
  #expect(store.store.schema["Log"] != nil)
  #expect(try store.reading.version("Log", id: .int(1)) != nil)
}

/// A store in which the class Log is append-only, with logs 1 to 3 in one commit.
private func appendOnlyLogs(isFollowed: Bool = false) async throws -> TemporaryStore {
  var options = StoreOptions()
  options.appendOnlyClasses = ["Log"]
  let store = try await TemporaryStore(
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]"#, options: options)
  _ = try await store.store.apply(Schema(notation: Value(json: schema)), destructive: false, privileged: true)
  if isFollowed {
    store.store.keepTail(true)
    try await store.create("A", #"{"id":1}"#)
  }
  var transaction = Transaction([])
  transaction.hook = Notes().hook(
    try (1...3).map { try store.creation("Log", #"{"id":\#($0),"text":"text \#($0)"}"#) })
  _ = try await store.store.perform(transaction)
  return store
}

private func privileged(_ operations: GatehouseStorage.Operation...) -> Transaction {
  var transaction = Transaction(operations)
  transaction.isPrivileged = true
  return transaction
}

/// Returns the log's lines about the objects that the hook makes.
private func madeLogs(_ store: TemporaryStore) throws -> [String] {
  try logged(store).filter { $0.contains(#""operation":"insert""#) }.map { change in
    String(change.drop { $0 != "{" })
  }
}

private let made = (1...3).map { #"{"id":\#($0),"text":"text \#($0)"}}"# }

@Test(arguments: [false, true])
func `the values of new objects of a appendOnly class are in the file once`(isFollowed: Bool) async throws {
  let store = try await appendOnlyLogs(isFollowed: isFollowed)
  #expect(try Raw(store.database).integer("SELECT count(*) FROM _changes WHERE after IS NULL") == 3)
  #expect(try madeLogs(store).suffix(3) == made)
  #expect(try store.violations() == [])
}

@Test func `the log has what objects of a appendOnly class were made with after they changed and are gone`()
  async throws
{
  let store = try await appendOnlyLogs()
  _ = try await store.store.perform(
    privileged(
      store.patch("Log", .int(1), #"{"text":"changed"}"#),
      .delete(objectType: "Log", id: .int(2), precondition: .none)))
  #expect(try madeLogs(store) == made)
  #expect(
    try logged(store).suffix(2).map { String($0.drop { $0 != "{" }) } == [
      #"{"text":"text 1"},"after":{"text":"changed"}}"#, #"{"id":2,"text":"text 2"}}"#,
    ])
  _ = try await store.store.perform(
    privileged(.delete(objectType: "Log", id: .int(1), precondition: .none)))
  #expect(try madeLogs(store) == made)
  #expect(
    try Raw(store.database).integer("SELECT count(*) FROM _changes WHERE after IS NULL AND operation = 0")
      == 1)
  #expect(try store.violations() == [])
}

@Test func `an object that is gone behind the log's back is a fault`() async throws {
  let store = try await appendOnlyLogs()
  try await store.close()
  try Raw.execute(
    "DELETE FROM Log WHERE id = 3; UPDATE _classes SET objects = 2 WHERE name = 'Log'", on: store.database)
  #expect(try store.violations() == [.unreadableChanges(1)])
}

/// Makes a Log with the number after the newest one's.
private let numbering = CommitHook(needsObjects: false) { changeSet throws(StorageError) in
  var number: Int64 = 0
  if case .int(let last)? = try changeSet.last("Log", "id") { number = last + 1 }
  let draft = ObjectDraft(assignments: [
    ObjectDraft.Assignment(property: 0, value: .value(.int(number))),
    ObjectDraft.Assignment(property: 1, value: .value(.string("\(number)"))),
  ])
  return [.create(objectType: "Log", draft: draft, policy: .error)]
}

@Test func `what follows from a transaction builds on the newest object that is there`() async throws {
  var options = StoreOptions()
  options.appendOnlyClasses = ["Log"]
  let store = try await TemporaryStore(
    #"[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]"#, options: options)
  _ = try await store.store.apply(Schema(notation: Value(json: schema)), destructive: false, privileged: true)
  let target = store.store
  @Sendable func perform(
    _ operations: [GatehouseStorage.Operation], numbered: Bool = true, in store: Store
  ) async throws {
    var transaction = Transaction(operations)
    transaction.isPrivileged = true
    if numbered { transaction.hook = numbering }
    _ = try await store.perform(transaction)
  }
  func numbers() throws -> [Mixed?] {
    try store.reading.images(of: "Log", after: nil, limit: 1000).map { values($0.image)["id"] }
  }
  func removal(_ number: Int64) -> GatehouseStorage.Operation {
    .delete(objectType: "Log", id: .int(number), precondition: .none)
  }
  // Every fourth fails after its first change, and takes those that share its commit back with it.
  let transactions = try (0..<64).map { number in
    let creation = try store.creation("A", #"{"id":\#(number)}"#)
    return number.isMultiple(of: 4) ? [creation, creation] : [creation]
  }
  await withTaskGroup(of: Void.self) { group in
    for operations in transactions {
      group.addTask { _ = try? await perform(operations, in: target) }
    }
  }
  #expect(try numbers() == (0..<48).map { .int($0) })
  try await perform([removal(47)], in: target)
  #expect(try numbers() == (0..<48).map { .int($0) })
  try await perform([removal(47), removal(46)], numbered: false, in: target)
  try await perform([], in: target)
  #expect(try numbers() == (0..<47).map { .int($0) })
  try await store.reopen()
  try await perform([], in: store.store)
  #expect(try numbers() == (0..<48).map { .int($0) })
}

@Test func `an observation has the objects that an answer shows, in the state that it came from`()
  async throws
{
  let store = try await TemporaryStore(schema)
  try await store.perform(
    store.creation("A", #"{"id":1,"s":"one"}"#), store.creation("A", #"{"id":2,"link":1}"#))
  func reads(_ body: (Reader) throws -> Void) throws -> [String] {
    try store.reading.observing { try body($0) }.observation.reads.map { read in
      "\(read.object.objectType) \(read.object.key.value) \(read.link.map { "by \($0.property)" } ?? "")"
    }
  }
  var bytes: [UInt8] = []
  #expect(
    try reads { _ = try $0.object("A", id: .int(2), projection: nil, as: .json, into: &bytes) } == ["A 1 "])
  #expect(try reads { _ = try $0.counts() } == [])
  #expect(try reads { _ = try $0.version("A", id: .int(1)) } == [])
}
