import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStoredFiles
import Synchronization
import Testing

@testable import GatehouseStorage

/// Stores with a log: what one commits, another one applies.
@Suite struct ReplicationTests {
  static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string?","data":"data?","list":"int[]",
      "set":"mixed<>","x":"mixed","to":"A"}}]
    """

  private let log = RecordingLog()
  private let leader: TemporaryStore
  private let follower: Follower

  init() async throws {
    var options = StoreOptions()
    options.log = log
    leader = try await TemporaryStore(Self.schema, options: options)
    follower = try Follower(of: leader, log)
  }

  private func expectEqual(_ comment: Comment? = nil) throws {
    let (first, second) = (try FileContent(leader.database), try FileContent(follower.database))
    #expect(first.differences(to: second) == [], comment)
    #expect(try leader.violations() == [] && follower.violations() == [], comment)
  }

  private func object(_ id: Int64) throws -> String? {
    var bytes: [UInt8] = []
    let version = try follower.store.makeReader().object(
      "A", id: .int(id), projection: nil, as: .json, into: &bytes)
    return version == nil ? nil : String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a follower has what the leader commits, with its version and place`() async throws {
    let commit = try await leader.create("A", #"{"id":1,"text":"t","list":[3,4],"set":[1,"a"],"x":2.5}"#)
    let notices = Mutex(0)
    follower.store.addCommitObserver { notices.withLock { $0 += 1 } }
    try await follower.apply()
    #expect(follower.store.version == commit.version)
    #expect(follower.store.replicationPoint == leader.store.replicationPoint)
    #expect(notices.withLock { $0 } == 1)
    #expect(try object(1) == leader.object("A", .int(1)))
    try await leader.perform(leader.patch("A", .int(1), #"{"text":null,"list":[4]}"#))
    try await leader.perform(.delete(objectType: "A", id: .int(1), precondition: .none))
    try await follower.apply()
    #expect(try object(1) == nil)
    try expectEqual()
  }

  @Test func `a follower's log tells replacements from other updates`() async throws {
    try await leader.create("A", #"{"id":1,"text":"t"}"#)
    let start = LogStart.after(LogPosition(version: leader.store.version))
    try await leader.perform(leader.replacement("A", .int(1), #"{"id":1,"text":"u"}"#))
    try await leader.perform(leader.patch("A", .int(1), #"{"text":"v"}"#))
    try await follower.apply()
    try await follower.reopen()
    let changes = try follower.store.makeReader().changes(from: start, limit: 9, objectType: nil).changes
    #expect(changes.map(\.isReplacement) == [true, false])
    try expectEqual()
  }

  @Test func `of transactions in one group, those that fail leave nothing`() async throws {
    let good = try (0..<6).map { [try leader.creation("A", #"{"id":\#($0),"list":[1,2]}"#)] }
    let bad = [
      try leader.creation("A", #"{"id":100,"list":[1,2]}"#), try leader.creation("A", #"{"id":0}"#),
    ]
    let results = try await leader.performTogether(good[..<3] + [bad] + good[3...])
    #expect(results.map { (try? $0.get()) != nil } == [true, true, true, false, true, true, true])
    // One entry for all of them.
    #expect(log.entries.last?.part.version == 7)
    try await follower.apply()
    #expect(try object(100) == nil)
    try expectEqual()
  }

  @Test func `a follower writes nothing, and neither compacts nor shortens its log`() async throws {
    let before = try FileContent(follower.database)
    try await expectRefusals()
    try await follower.store.shortenLog()
    await #expect(throws: StorageError.self) { try await follower.store.compact() }
    #expect(try FileContent(follower.database) == before)
  }

  /// Writes of all kinds, each of which is refused by the store that follows.
  private func expectRefusals() async throws {
    await #expect(throws: OperationError(operation: 0, reason: .notLeading)) {
      try await follower.store.perform(Transaction([leader.creation("A", #"{"id":1}"#)]))
    }
    await #expect(throws: StorageError.notLeading) {
      try await follower.store.keep([RecordChange(Record.Name("k", "a"), [1])])
    }
    await #expect(throws: StorageError.notLeading) {
      try await follower.store.apply(Schema([]), destructive: true)
    }
    await #expect(throws: OperationError(operation: 0, reason: .notLeading)) {
      try await follower.store.load { nil }
    }
    #expect(throws: StorageError.notLeading) { _ = try follower.store.beginWrite() }
  }

  @Test func `what the log refuses leaves the file as it was`() async throws {
    try await leader.create("A", #"{"id":1,"text":"t"}"#)
    let before = try FileContent(leader.database)
    for (answer, error, isLeading) in [
      (.unavailable, .logUnavailable, true), (.refused, .notLeading, false),
    ] as [(TransactionLogError, StorageError, Bool)] {
      log.answer(answer)
      await #expect(throws: OperationError(operation: 0, reason: error)) {
        try await leader.create("A", #"{"id":2,"list":[1,2,3]}"#)
      }
      #expect(leader.store.isLeading == isLeading)
      #expect(try FileContent(leader.database) == before)
    }
    try await leader.store.lead()
    #expect(try await leader.create("A", #"{"id":2}"#).version == 3)
    try await follower.apply()
    try expectEqual()
  }

  @Test func `why nothing was changed is told only where nobody else can have changed anything`() async throws
  {
    try await leader.create("A", #"{"id":1,"text":"t"}"#)
    let operations = [
      try leader.creation("A", #"{"id":1}"#), .delete(objectType: "A", id: .int(2), precondition: .none),
      try leader.patch("A", .int(2), #"{"text":"u"}"#),
    ]
    let refusals: [StorageError?] = [
      .objectExists(objectType: "A", id: .int(1)), .objectNotFound(objectType: "A", id: .int(2)),
      .objectNotFound(objectType: "A", id: .int(2)),
    ]
    func results() async -> [StorageError?] {
      var results: [StorageError?] = []
      for operation in operations {
        do throws(OperationError) {
          _ = try await leader.store.perform(Transaction([operation]))
          results.append(nil)
        } catch { results.append(error.reason) }
      }
      return results
    }
    let entries = log.entries.count
    log.set(isUnchanged: false)
    #expect(await results() == [.logUnavailable, .logUnavailable, .logUnavailable])
    #expect(leader.store.isLeading && log.entries.count == entries)
    log.set(isUnchanged: true)
    #expect(await results() == refusals)
    // Where nothing matches, the writer is asked, too.
    let plan = try Plan(
      request: QueryRequest(filter: "id > 5"), schema: leader.store.schema, objectType: "A")
    let none = Transaction([.each(plan, .delete)])
    #expect(try await leader.store.perform(none).results[0].count == 0)
    log.set(isUnchanged: false)
    await #expect(throws: OperationError(operation: 0, reason: .logUnavailable)) {
      try await leader.store.perform(none)
    }
    // A commit is in the log.
    #expect(try await leader.create("A", #"{"id":2}"#).version == 3)
  }

  @Test func `what is in doubt is applied like the transaction of another store`() async throws {
    log.answer(.inDoubt)
    await #expect(throws: OperationError(operation: 0, reason: .outcomeUnknown)) {
      try await leader.create("A", #"{"id":2,"list":[1,2,3]}"#)
    }
    #expect(!leader.store.isLeading && leader.store.version == 1)
    try await follower.apply()
    try await takeOwnEntries()
    #expect(leader.store.version == 2)
    try await leader.store.lead()
    #expect(try await leader.create("A", #"{"id":3}"#).version == 3)
    try await follower.apply()
    try expectEqual()
  }

  @Test func `a transaction larger than a part comes in parts, and appears with the last one`() async throws {
    let data = String(repeating: "AAECAwQF", count: 20_000)
    let pieces = Pieces(
      try (0..<20).map { [try leader.creation("A", #"{"id":\#($0),"data":"\#(data)"}"#)] })
    let version = try await leader.store.load { pieces.next() }
    let entries = log.entries(after: follower.store.replicationPoint ?? ReplicationPoint(sequence: 0))
    #expect(entries.count > 4)
    #expect(entries.map(\.part.number) == Array(0..<entries.count))
    #expect(entries.allSatisfy { $0.part.bytes.count <= TransactionPart.largestSize })
    #expect(entries.map(\.part.isLast) == Array(repeating: false, count: entries.count - 1) + [true])
    // In the middle of it the store is closed, and begins anew.
    try await follower.apply(3)
    #expect(follower.store.version == 1)
    try await follower.reopen()
    try await follower.apply(entries.count - 1)
    #expect(try object(0) == nil)
    try await follower.reopen()
    try await follower.apply()
    #expect(follower.store.version == version)
    try expectEqual()
  }

  @Test func `writes that are refused between two parts leave what was applied as it is`() async throws {
    let data = String(repeating: "AAECAwQF", count: 20_000)
    let pieces = Pieces(
      try (0..<20).map { [try leader.creation("A", #"{"id":\#($0),"data":"\#(data)"}"#)] })
    let version = try await leader.store.load { pieces.next() }
    let point = follower.store.replicationPoint ?? ReplicationPoint(sequence: 0)
    for entry in log.entries(after: point, limit: .max) {
      try await follower.store.apply(entry.part, at: entry.point)
      try await expectRefusals()
    }
    #expect(follower.store.version == version)
    try expectEqual()
  }

  @Test func `parts without a last one are given up`() async throws {
    let data = String(repeating: "AAECAwQF", count: 20_000)
    let pieces = Pieces(
      try (0..<20).map { [try leader.creation("A", #"{"id":\#($0 % 19),"data":"\#(data)"}"#)] })
    await #expect(throws: OperationError.self) { try await leader.store.load { pieces.next() } }
    #expect(log.entries.count > 4)
    try await follower.apply()
    #expect(follower.store.version == 1)
    try await leader.create("A", #"{"id":5}"#)
    try await follower.apply()
    #expect(follower.store.version == 2)
    try expectEqual()
  }

  @Test func `records are told to those who keep them in memory`() async throws {
    let told = Mutex<[Set<String>]>([])
    follower.store.observeRecords(ofKinds: ["key", "role"]) { kinds in told.withLock { $0.append(kinds) } }
    for kind in ["key", "user", "role"] {
      _ = try await leader.store.keep([RecordChange(Record.Name(kind, "a"), [1, 2])])
    }
    _ = try await leader.store.keep([RecordChange(Record.Name("key", "a"), nil)])
    try await follower.apply()
    #expect(told.withLock { $0 } == [["key"], ["role"], ["key"]])
    try expectEqual()
  }

  @Test func `a notice is handled before the rows come, and once more where that fails`() async throws {
    struct Failure: Error {}
    let seen = Mutex<[ReplicationNotice]>([])
    try await leader.create("A", #"{"id":1}"#)
    try await follower.apply()
    let reader = try follower.store.makeReader()
    _ = reader
    let fails = Mutex(true)
    let store = follower.store
    follower.store.handleNotices(ofKind: "retire") { notice in
      if fails.withLock({ $0 }) { throw Failure() }
      // The object is there.
      guard try store.makeReader().version("A", id: .int(1)) == 2 else { throw Failure() }
      seen.withLock { $0.append(notice) }
    }
    var transaction = Transaction([.delete(objectType: "A", id: .int(1), precondition: .none)])
    transaction.notice = ReplicationNotice("retire", [4, 2])
    _ = try await leader.store.perform(transaction)
    await #expect(throws: StorageError.noticeFailed(kind: "retire")) { try await follower.apply() }
    #expect(try object(1) != nil)
    fails.withLock { $0 = false }
    try await follower.apply()
    #expect(seen.withLock { $0 } == [ReplicationNotice("retire", [4, 2])])
    try expectEqual()
  }

  @Test(arguments: [
    "DELETE FROM A", "UPDATE _commits SET version = 7 WHERE version = 2",
    "INSERT INTO A (_key, _version, id) VALUES (1, 1, 2)",
  ])
  func `a transaction that does not fit stops the store`(damage: String) async throws {
    try await leader.create("A", #"{"id":1}"#)
    try await follower.apply()
    await follower.store.close()
    try Raw.execute(damage, on: follower.database)
    let before = try FileContent(follower.database)
    try await follower.reopen()
    try await leader.perform(
      leader.patch("A", .int(1), #"{"text":"t"}"#), leader.creation("A", #"{"id":2}"#))
    await #expect(throws: StorageError.self) { try await follower.apply() }
    guard case .diverged? = follower.store.failure else {
      Issue.record("\(String(describing: follower.store.failure))")
      return
    }
    await #expect(throws: StorageError.self) { try await follower.store.lead() }
    await #expect(throws: StorageError.self) { try await follower.apply() }
    #expect(try FileContent(follower.database) == before)
  }

  @Test func `a schema that cannot be read once it is committed is read later, and nothing is applied twice`()
    async throws
  {
    try await leader.create("A", #"{"id":1}"#)
    try await follower.apply()
    let version = follower.store.version
    let text = Self.schema.dropLast() + #",{"name":"B","properties":{"n":"int"}}]"#
    _ = try await leader.apply(String(text))
    try await leader.create("B", #"{"n":7}"#)
    // The transaction has nothing to do with it, and whoever reads the schema refuses it.
    let damage = "UPDATE _meta SET value = -1 - value WHERE name = 'log_floor'"
    try Raw.execute(damage, on: follower.database)
    for _ in 0..<2 {
      await #expect(throws: StorageError.corrupt("version")) { try await follower.apply() }
      #expect(follower.store.version == version && follower.store.schema["B"] == nil)
    }
    try Raw.execute(damage, on: follower.database)
    try await follower.apply()
    #expect(follower.store.failure == nil && follower.store.version == leader.store.version)
    #expect(follower.store.replicationPoint == leader.store.replicationPoint)
    #expect(follower.store.schema == leader.store.schema)
    try expectEqual()
  }

  @Test func `maintenance leaves a store that is stopped as it is`() async throws {
    await follower.store.close()
    let directory = try DataDirectory(follower.directory)
    var options = StoreOptions()
    options.log = log
    let committer = try Committer(directory, options: options) { Date(seconds: 0) }
    let writer = try #require(ReplicaWriter(committer))
    let part = TransactionPart(
      number: 0, isLast: true, base: 7, version: 8, records: UnsafeRawBufferPointer(start: nil, count: 0))
    let reason = StorageError.diverged(.version(expected: 7, found: 1))
    #expect(throws: reason) { try writer.apply(part, at: ReplicationPoint(sequence: 100)).get() }
    _ = committer.maintain()
    #expect(committer.view.state.failure == reason)
    #expect(throws: reason) { try writer.store(ReplicationPoint(sequence: 101), whileLeading: false).get() }
    committer.close()
    directory.release()
  }

  @Test func `a probe of the disk that a failure has left is no content, and is removed`() async throws {
    func content() throws -> [UInt8] {
      let bytes = Mutex<[UInt8]>([])
      try StoreSnapshot(directory: follower.directory).content { piece in bytes.withLock { $0 += piece } }
      return bytes.withLock(\.self)
    }
    await follower.store.close()
    let before = try content()
    try Raw.execute("INSERT INTO _meta VALUES ('probe', zeroblob(65536))", on: follower.database)
    #expect(try content() == before)
    let directory = try DataDirectory(follower.directory)
    var options = StoreOptions()
    options.log = log
    let committer = try Committer(directory, options: options) { Date(seconds: 0) }
    _ = committer.maintain()
    committer.close()
    directory.release()
    #expect(try Raw(follower.database).integer("SELECT count(*) FROM _meta WHERE name = 'probe'") == 0)
    #expect(try content() == before)
  }

  @Test func `a place is kept where nothing can be missing before it`() async throws {
    try await leader.create("A", #"{"id":1}"#)
    try await follower.apply()
    let place = try #require(follower.store.replicationPoint)
    func note(_ sequence: UInt64, _ store: Store, whileLeading: Bool) async throws -> UInt64? {
      try await store.note(ReplicationPoint(sequence: sequence), whileLeading: whileLeading)
      return store.replicationPoint?.sequence
    }
    #expect(try await note(50, follower.store, whileLeading: true) == place.sequence)
    #expect(try await note(50, leader.store, whileLeading: false) == place.sequence)
    #expect(try await note(50, follower.store, whileLeading: false) == 50)
    #expect(try await note(49, follower.store, whileLeading: false) == 50)
    #expect(try await note(60, leader.store, whileLeading: true) == 60)
    try await follower.reopen()
    #expect(follower.store.replicationPoint?.sequence == 50)
  }

  @Test func `a member's file is not opened without the log`() async throws {
    await follower.store.close()
    #expect(throws: StorageError.clusterMember(directory: follower.directory)) {
      try Store(directory: follower.directory)
    }
    #expect(throws: StorageError.clusterMember(directory: follower.directory)) {
      try Compaction.run(directory: follower.directory)
    }
    // Reading it is no matter.
    #expect(try StoreSnapshot(directory: follower.directory).schema == leader.store.schema)
  }

  @Test func `the content of a file is that of another one, but for its place in the log`() async throws {
    func content(_ directory: String) throws -> [UInt8] {
      let bytes = Mutex<[UInt8]>([])
      try StoreSnapshot(directory: directory).content { piece in bytes.withLock { $0 += piece } }
      return bytes.withLock(\.self)
    }
    try await leader.create("A", #"{"id":1,"text":"t","data":"AAEC","list":[3,4],"x":2.5}"#)
    try await follower.apply()
    let before = try content(follower.directory)
    #expect(try before == content(leader.directory))
    try await follower.store.note(ReplicationPoint(sequence: 500), whileLeading: false)
    #expect(try before == content(follower.directory))
    for change in ["UPDATE A SET text = NULL", "UPDATE A SET text = x'74'", "CREATE INDEX i ON A (text)"] {
      let last = try content(follower.directory)
      try Raw.execute(change, on: follower.database)
      #expect(try last != content(follower.directory))
    }
  }

  @Test func `a follower leads from where the leader was`() async throws {
    try await leader.create("A", #"{"id":1,"x":"a"}"#)
    try await follower.apply()
    await leader.store.follow()
    try await follower.store.lead()
    let commit = try await follower.store.perform(
      Transaction([leader.creation("A", #"{"id":2,"list":[1]}"#)]))
    #expect(commit.version == 3)
    try await takeOwnEntries()
    #expect(try leader.object("A", .int(2)) != nil)
    try expectEqual()
  }

  @Test func `who has applied rows, and led through a change of the schema, applies rows of the new one`()
    async throws
  {
    log.answer(.inDoubt)
    await #expect(throws: OperationError(operation: 0, reason: .outcomeUnknown)) {
      try await leader.create("A", #"{"id":1}"#)
    }
    try await takeOwnEntries()
    try await leader.store.lead()
    _ = try await leader.apply(Self.schema.replacing(#""id":"int","#, with: #""id":"int","more":"int?","#))
    log.answer(.inDoubt)
    await #expect(throws: OperationError(operation: 0, reason: .outcomeUnknown)) {
      try await leader.create("A", #"{"id":2,"more":5}"#)
    }
    try await takeOwnEntries()
    #expect(try leader.object("A", .int(2))?.contains(#""more":5"#) == true)
    try await follower.apply()
    try expectEqual()
  }

  @Test(arguments: [nil, "text"])
  func `a follower has a schema that leaves all tables as they are`(_ renamed: String?) async throws {
    try await leader.create("A", #"{"id":1,"text":"t"}"#)
    if let renamed {
      let renames: SchemaRenames = [PropertyRename(objectType: "A", from: renamed, to: "name")]
      _ = try await leader.store.apply(
        leader.store.schema.renaming(renames), destructive: false, renames: renames)
    } else {
      _ = try await leader.apply(
        Self.schema.replacing(#""primaryKey":"id","#, with: #""primaryKey":"id","check":"id > 0","#))
    }
    try await follower.apply()
    #expect(follower.store.schema == leader.store.schema)
    #expect(try object(1) == leader.object("A", .int(1)))
    await leader.store.follow()
    try await follower.store.lead()
    await #expect(throws: Never.self) {
      try await follower.store.perform(Transaction([leader.creation("A", #"{"id":2}"#)]))
    }
  }

  /// Has the leader, which leads no more, apply what it does not know of.
  private func takeOwnEntries() async throws {
    for entry in log.entries(after: leader.store.replicationPoint ?? ReplicationPoint(sequence: 0)) {
      try await leader.store.apply(entry.part, at: entry.point)
    }
  }
}
