import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import GatehouseStoredFiles
import Synchronization
import Testing

@testable import GatehouseStorage

/// A clock that goes on when it is told to.
private final class ManualClock: Sendable {
  private let seconds = Mutex<Int64>(1_700_000_000)

  @Sendable func now() -> Date { Date(seconds: seconds.withLock { $0 }) }

  func advance(by seconds: Int64) { self.seconds.withLock { $0 += seconds } }
}

/// Random programs on a store with a log, which another one applies: both files are the same, to the rowids.
@Suite struct ReplicationProgramTests {
  private static let classes = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","text":{"type":"string?","mapTo":"t","indexed":"full-text"},
      "x":"mixed","list":"int[]","reals":"double?<>","decimals":"decimal128<>","set":"mixed<>","map":"mixed{}",
      "e":"E","es":"E[]","to":"A","all":"A<>","data":"data?"}},
     {"name":"B","properties":{"a":"A","n":{"type":"int?","indexed":true}}},
     {"name":"N","primaryKey":"id","properties":{"id":{"type":"int","default":"autoincrement"},"s":"string"}},
     {"name":"Trail","primaryKey":"id","properties":{"id":"int","what":"string"}},
     {"name":"E","embedded":true,"properties":{"n":"int","x":"mixed"}}]
    """
  private static let values = [
    #""text":null"#, #""text":"some words of a text""#, #""text":"other words""#, #""x":[1,{"k":2.5}]"#,
    #""x":{"$oid":"650000000000000000000001"}"#, #""x":{"$ref":"A","$id":3}"#, #""list":[1,2,3]"#,
    #""list":[]"#, #""reals":[-0.0,0.1,null]"#,
    #""decimals":[{"$numberDecimal":"1.0"},{"$numberDecimal":"1.00"},{"$numberDecimal":"2E+3"}]"#,
    #""set":[1,1.0,"a",null]"#,
    #""map":{"k":1,"l":null}"#, #""map":{"k":{"d":[]}}"#, #""e":{"n":4,"x":"é"}"#, #""e":null"#,
    #""es":[{"n":1},{"n":2,"x":{"$ref":"A","$id":1}}]"#, #""to":2"#, #""to":null"#, #""all":[1,2]"#,
    #""data":"AAECAwQ=""#, #""data":"""#,
  ]

  private let log: RecordingLog
  private let leader: TemporaryStore
  private let follower: Follower
  private let clock = ManualClock()
  private var random: SeededGenerator
  private var trail: Int64 = 0
  private var numbers = 0

  init() async throws {
    (log, random) = (RecordingLog(), SeededGenerator(seed: 0))
    var options = StoreOptions()
    options.log = log
    options.appendOnlyClasses = ["Trail"]
    var limited = options
    // By time, which only the program moves: nothing is removed in between.
    limited.logAge = 100
    leader = try await TemporaryStore(Schema([]), options: limited, clock: clock.now)
    _ = try await leader.store.apply(
      Schema(notation: Value(json: Self.classes)), destructive: false, privileged: true)
    follower = try Follower(of: leader, log, options: options)
  }

  private var schema: Schema { leader.store.schema }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  /// An operation that the schema of the moment allows.
  private mutating func operation() throws -> GatehouseStorage.Operation {
    try (try? randomOperation()) ?? leader.creation("N", #"{"s":"instead"}"#)
  }

  private mutating func randomOperation() throws -> GatehouseStorage.Operation {
    let id = below(14)
    let value = Self.values[below(Self.values.count)]
    switch below(12) {
    case 0..<4: return try leader.creation("A", #"{"id":\#(id),\#(value)}"#, .all)
    case 4: return try leader.creation("A", #"{"id":\#(id),\#(value)}"#)
    case 5..<9: return try leader.patch("A", .int(Int64(id)), "{\(value)}")
    case 9: return .delete(objectType: "A", id: .int(Int64(id)), precondition: .none)
    case 10: return try leader.creation("N", #"{"s":"\#(id)"}"#)
    default: return try leader.creation("B", #"{"a":\#(id),"n":\#(id)}"#)
    }
  }

  /// Transactions that wait together, of which some fail, before or after their first change.
  private mutating func group() async throws {
    var transactions: [Transaction] = []
    for _ in 0..<1 + below(5) {
      var operations: [GatehouseStorage.Operation] = []
      for _ in 0..<1 + below(4) { operations.append(try operation()) }
      var transaction = Transaction(operations, returning: .json)
      transaction.isTrial = below(8) == 0
      if below(4) == 0 {
        numbers += 1
        transaction.idempotency = IdempotencyRecord(
          key: "\(below(20))", fingerprint: UInt64(numbers)
        ) { Array("\($0.version)".utf8) }
      }
      if below(3) == 0 { transaction.hook = try audit() }
      transactions.append(transaction)
    }
    _ = try await leader.performTogether(transactions)
  }

  /// A hook that adds to the append-only class.
  private mutating func audit() throws -> CommitHook {
    trail += 1
    let addition = try leader.creation("Trail", #"{"id":\#(trail),"what":"event \#(trail)"}"#)
    return CommitHook { _ in [addition] }
  }

  /// Removes the oldest of the append-only class, as retention of audit events does.
  private func retire() async throws {
    let keys = try leader.reading.images(of: "Trail", after: nil, limit: 20)
    var transaction = Transaction(
      try keys.dropLast().map { object in
        guard case .dictionary(let entries) = object.image,
          let id = entries.first(where: { $0.key == "id" })?.value
        else { throw StorageError.corrupt("Trail") }
        return .delete(objectType: "Trail", id: id, precondition: .none)
      })
    transaction.isPrivileged = true
    transaction.notice = ReplicationNotice("retire", Array("\(keys.count)".utf8))
    _ = try await leader.store.perform(transaction)
  }

  private mutating func load() async throws {
    let size = below(3) == 0 ? 200_000 : 10
    let data = String(repeating: "AAEC", count: size)
    let first = below(1000) * 100
    var pieces: [[GatehouseStorage.Operation]] = []
    for number in 0..<1 + below(6) {
      // One that is there already fails the load.
      let id = below(12) == 0 ? 1 : first + number + 100
      pieces.append([try leader.creation("A", #"{"id":\#(id),"data":"\#(data)"}"#)])
    }
    let source = Pieces(pieces)
    _ = try? await leader.store.load { source.next() }
    // Large data is not to be in every comparison.
    for number in 0..<6 {
      let deletion = GatehouseStorage.Operation.delete(
        objectType: "A", id: .int(Int64(first + number + 100)), precondition: .none)
      _ = try? await leader.store.perform(Transaction([deletion]))
    }
  }

  private mutating func bulk() async throws {
    let filter = ["n > 5", "n < 3", "a != null", "a.id == 3"][below(4)]
    let value = try Value(json: Array(#"{"n":\#(below(9))}"#.utf8))
    // The property may have become another type's.
    guard let plan = try? Plan(request: QueryRequest(filter: filter), schema: schema, objectType: "B"),
      let patch = try? leader.type("B").patch(from: value, in: schema)
    else { return }
    let action: GatehouseStorage.Operation.Action = below(2) == 0 ? .delete : .update(patch)
    _ = try? await leader.store.perform(Transaction([.each(plan, action)]))
  }

  /// A program's own transaction, in which an operation fails and the others stay.
  private mutating func interactive() throws {
    let write = try leader.store.beginWrite()
    for _ in 0..<3 {
      guard case .create(let name, let draft, _) = try leader.creation("A", #"{"id":\#(below(30))}"#) else {
        continue
      }
      _ = try? write.create(name, draft)
    }
    if below(3) > 0 { _ = try write.commit() } else { write.cancel() }
  }

  private mutating func records() async throws {
    let name = Record.Name(["key", "role"][below(2)], "k\(below(5))")
    let changes = [
      RecordChange(name, below(3) == 0 ? nil : [UInt8(below(256))]),
      RecordChange(Record.Name("user", "u"), [1], expecting: below(2) == 0 ? .absent : .anything),
    ]
    _ = try await leader.store.keep(changes)
    if below(6) == 0 { _ = try await leader.store.keep([RecordChange(removingAll: "key", withPrefix: "k")]) }
  }

  private mutating func changeSchema() async throws {
    let text = String(decoding: schema.notation.plainJSON, as: UTF8.self)
    numbers += 1
    switch below(7) {
    case 0:
      _ = try await leader.apply(
        text.dropLast() + #",{"name":"C\#(numbers)","properties":{"n":"int","s":"string<>"}}]"#)
    case 1:
      let kept = schema.objectTypes.filter { !$0.name.hasPrefix("C") }
      _ = try await leader.store.apply(Schema(kept), destructive: true)
    case 2:
      // A property that all objects get a value of.
      var types = schema.objectTypes
      guard let place = types.firstIndex(where: { $0.name == "B" }) else { return }
      types[place] = ObjectType(
        name: "B",
        properties: types[place].properties + [
          Property(
            name: "p\(numbers)", type: .one(.string, optional: false), defaultValue: .string("new"))
        ])
      _ = try await leader.store.apply(Schema(types), destructive: false)
    case 3:
      guard let old = schema["B"]?.properties.last?.name, old.hasPrefix("p") else { return }
      let renames: SchemaRenames = [PropertyRename(objectType: "B", from: old, to: "q\(numbers)")]
      _ = try await leader.store.apply(schema.renaming(renames), destructive: false, renames: renames)
    case 4:
      // Another type: values are converted, or lost.
      _ = try await leader.apply(
        text.contains(#""n":{"type":"int?","indexed":true}"#)
          ? text.replacing(#""n":{"type":"int?","indexed":true}"#, with: #""n":"string?""#)
          : text.replacing(#""n":"string?""#, with: #""n":{"type":"int?","indexed":true}"#),
        destructive: true)
    case 5:
      // The index of words goes, or comes.
      _ = try await leader.apply(
        text.contains("full-text")
          ? text.replacing(#","indexed":"full-text""#, with: "")
          : text.replacing(#""mapTo":"t""#, with: #""mapTo":"t","indexed":"full-text""#), destructive: true)
    default:
      let steps = [
        MigrationStep(
          [.operation(try leader.creation("N", #"{"s":"m"}"#))],
          record: RecordChange(Record.Name("step", "\(numbers)"), [1], expecting: .absent))
      ]
      _ = try await leader.store.migrate(by: steps, isTrial: below(2) == 0)
    }
  }

  private mutating func step() async throws {
    switch below(40) {
    case 0..<3: try await changeSchema()
    case 3:
      clock.advance(by: 60)
      try await leader.store.shortenLog()
    case 4..<6: try await load()
    case 6..<8: try await bulk()
    case 8..<10: try interactive()
    case 10..<12: try await records()
    case 12: try await retire()
    case 13: try await refuse()
    default: try await group()
    }
  }

  /// The log refuses a transaction, which leaves the file as it was.
  private mutating func refuse() async throws {
    let before = try FileContent(leader.database)
    log.answer(.refused)
    let store = leader
    await #expect(throws: OperationError(operation: 0, reason: .notLeading)) {
      try await store.create("N", #"{"s":"refused"}"#)
    }
    log.answer()
    try await leader.store.lead()
    #expect(try FileContent(leader.database) == before)
  }

  private func expectEqual(_ comment: Comment) throws {
    let (first, second) = (try FileContent(leader.database), try FileContent(follower.database))
    #expect(first.differences(to: second) == [], comment)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  mutating func `a follower's file has the same rows`(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let retired = Mutex(0)
    follower.store.handleNotices(ofKind: "retire") { _ in retired.withLock { $0 += 1 } }
    for step in 0..<120 {
      try await self.step()
      switch below(10) {
      case 0: try await follower.apply(1 + below(12))
      case 1:
        try await follower.apply(1 + below(12))
        try await follower.reopen()
      case 2:
        try await follower.apply()
        try expectEqual("seed \(seed), step \(step)")
      default: break
      }
    }
    try await follower.apply()
    try expectEqual("seed \(seed)")
    #expect(follower.store.version == leader.store.version && leader.store.version > 50)
    #expect(try FileContent(leader.database).rowCount > 100)
    #expect(try leader.violations() == [] && follower.violations() == [])
    // The follower knows enough from its file to go on from there.
    await leader.store.follow()
    try await follower.store.lead()
    let commit = try await follower.store.perform(Transaction([leader.creation("N", #"{"s":"after"}"#)]))
    for entry in log.entries(after: leader.store.replicationPoint ?? ReplicationPoint(sequence: 0)) {
      try await leader.store.apply(entry.part, at: entry.point)
    }
    #expect(leader.store.version == commit.version)
    try expectEqual("seed \(seed), after the change of the leader")
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `values of every type are the same`(seed: UInt64) async throws {
    var objects = RandomAllTypes(seed: seed)
    let log = RecordingLog()
    var options = StoreOptions()
    options.log = log
    let leader = try await TemporaryStore(objects.schema, options: options)
    let follower = try Follower(of: leader, log)
    for _ in 0..<4 {
      let drafts = objects.drafts()
      _ = try await leader.store.perform(
        Transaction(
          drafts.map { draft in
            .put(
              objectType: "AllTypes", id: .int(draft.key?.value ?? 0), draft: draft, precondition: .none)
          }))
      try await follower.apply()
    }
    let (first, second) = (try FileContent(leader.database), try FileContent(follower.database))
    #expect(first.differences(to: second) == [])
    #expect(try follower.violations() == [])
    #expect(first.rowCount > 100)
  }
}
