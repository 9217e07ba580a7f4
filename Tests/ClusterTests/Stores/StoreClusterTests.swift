import GatehouseBSON
import GatehouseModel
import GatehouseSQLite
import GatehouseSeeded
import GatehouseStorage
import GatehouseStoredFiles
import Synchronization
import Testing

@testable import GatehouseCluster

/// Stores on a log in memory: one leads, the others have what it commits.
struct StoreClusterTests {
  private static let classes = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","text":"string?","list":"int[]","x":"mixed"}},
     {"name":"N","primaryKey":"id","properties":{"id":{"type":"int","default":"autoincrement"},"s":"string"}}]
    """

  private let servers = MemoryServers()

  /// The node that leads, and takes commits.
  private static func leader(of nodes: [StoreNode]) async throws -> StoreNode {
    try await wait { nodes.contains { $0.store.isLeading || $0.stopReason != nil } }
    for node in nodes { if let reason = node.stopReason { throw reason } }
    return nodes.first { $0.store.isLeading } ?? nodes[0]
  }

  /// Repeats something with whichever node leads until it is done.
  private static func perform<Result>(
    on nodes: [StoreNode], _ body: (StoreNode) async throws -> Result
  ) async throws -> Result {
    while true {
      let node = try await leader(of: nodes)
      do { return try await body(node) } catch let error as OperationError {
        guard error.reason.isOfCluster else { throw error }
      } catch let error as StorageError {
        guard error.isOfCluster else { throw error }
      }
    }
  }

  /// Waits until all have the same transactions, closes them, and compares their files.
  private static func expectEqual(_ nodes: [StoreNode], _ comment: Comment? = nil) async throws {
    // Behind it nobody has anything that another one lacks.
    try await perform(on: nodes) { _ = try await $0.store.keep([RecordChange(Record.Name("end", ""), [1])]) }
    try await wait {
      nodes.allSatisfy { node in
        node.stopReason != nil || node.store.replicationPoint == nodes[0].store.replicationPoint
      } || nodes.contains { $0.stopReason != nil }
    }
    for node in nodes {
      #expect(node.stopReason == nil, comment)
      await node.close()
    }
    let first = try FileContent(nodes[0].database)
    for node in nodes {
      let differences = first.differences(to: try FileContent(node.database))
      #expect(differences == [], comment)
      #expect(try node.violations() == [], comment)
      #expect(node.store.secret == nodes[0].store.secret, comment)
    }
  }

  private static func objects(of node: StoreNode, _ name: String) throws -> Set<Int64> {
    var keys: Set<Int64> = []
    let reader = try node.store.makeReader()
    for id in Int64(0)..<240 {
      var bytes: [UInt8] = []
      if try reader.object(name, id: .int(id), projection: nil, as: .json, into: &bytes) != nil {
        keys.insert(id)
      }
    }
    return keys
  }

  @Test func `stores that begin empty have the same file, rowids and secret included`() async throws {
    let nodes = try ["a", "b", "c"].map { try StoreNode($0, on: servers) }
    try await Self.perform(on: nodes) { node in
      _ = try await node.store.apply(Schema(notation: Value(json: Self.classes)), destructive: false)
      let commit = try await node.store.perform(
        Transaction([node.operation("A", #"{"id":1,"text":"t","list":[1,2]}"#)]))
      #expect(commit.version == node.store.version)
    }
    let leader = try await Self.leader(of: nodes)
    let follower = try #require(nodes.first { $0 !== leader })
    await #expect(throws: StorageError.notLeading) {
      try await follower.store.keep([RecordChange(Record.Name("k", "a"), [1])])
    }
    // It stops to lead at once, and another one goes on.
    leader.member.resign()
    try await wait { nodes.contains { $0 !== leader && $0.store.isLeading } }
    try await Self.perform(on: nodes) { node in
      _ = try await node.store.perform(Transaction([node.operation("N", #"{"s":"after"}"#)]))
    }
    try await Self.expectEqual(nodes)
  }

  @Test func `nodes make the same digest at one place of the log, and another one where a file was changed`()
    async throws
  {
    let nodes = try ["a", "b", "c"].map { try StoreNode($0, on: servers) }
    try await Self.perform(on: nodes) { node in
      _ = try await node.store.apply(Schema(notation: Value(json: Self.classes)), destructive: false)
      for id in 0..<20 {
        let text = String(repeating: "text \(id)", count: 1_000)
        _ = try await node.store.perform(
          Transaction([node.operation("A", #"{"id":\#(id),"text":"\#(text)"}"#)]))
      }
    }
    let leader = try await Self.leader(of: nodes)
    for name in ["first", "second"] {
      let version = leader.store.version
      // Transactions of the same entry, and later ones, are in no digest.
      async let before = leader.store.perform(Transaction([leader.operation("N", #"{"s":"\#(name)"}"#)]))
      try await leader.part.compare(name)
      _ = try await leader.store.perform(Transaction([leader.operation("N", #"{"s":"after"}"#)]))
      _ = try await before
      try await wait {
        nodes.allSatisfy { $0.part.digest?.comparison == name && $0.part.digest?.hash != nil }
      }
      let digests = Set(nodes.map(\.part.digest))
      #expect(digests.count == (name == "first" ? 1 : 2))
      #expect((version...(version + 1)).contains(leader.part.digest?.version ?? 0))
      let follower = try #require(nodes.first { $0 !== leader })
      let connection = try Connection(path: follower.database, mode: .readWrite)
      connection.waitForLocks(milliseconds: 60_000)
      // The follower has applied this row before it made its first digest.
      try connection.execute("UPDATE A SET text = 'changed' WHERE rowid = 1")
    }
    for node in nodes { await node.close() }
  }

  @Test func `rows of a later release stop a node, and are not applied`() async throws {
    let node = try StoreNode("a", on: servers)
    let before = try await Self.perform(on: [node]) { node in
      _ = try await node.store.apply(Schema(notation: Value(json: Self.classes)), destructive: false)
      return node.store.version
    }
    let rows = EntryRows(
      rows: [TransactionPart.format + 1, 3, 0, 1, 2, 9, 9], part: .whole, versions: 2..<3,
      point: LogPoint(position: 99, hash: .none, epoch: 1))
    let reason = StopReason.unknownRows(position: 99, TransactionPart.format + 1)
    #expect(throws: reason) { try node.part.apply(rows) }
    #expect(
      reason.description == "Entry 99 has rows of format 2, which this release does not know.")
    #expect(node.store.version == before)
    await node.close()
  }

  @Test func `a node that is behind the log's beginning stops, and says that it needs a copy`() async throws {
    let first = try StoreNode("a", on: servers)
    try await Self.perform(on: [first]) { node in
      _ = try await node.store.apply(Schema(notation: Value(json: Self.classes)), destructive: false)
    }
    servers.change { $0.trim(through: $0.last) }
    let position = servers.stream.first
    let second = try StoreNode("b", on: servers)
    try await wait { second.stopReason != nil }
    guard case .behindLog(let found)? = second.stopReason else {
      Issue.record("\(String(describing: second.stopReason))")
      return
    }
    #expect(found >= position)
    await first.close()
    await second.close()
  }

  /// Writers go on while nodes lose the log, end and start again: what was acknowledged is everywhere, and the files are the same.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `no partition, loss or restart makes files differ`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let faults = Mutex(SeededGenerator(seed: seed &* 7_919))
    let isFaulty = Mutex(true)
    let fault: @Sendable (MemoryLog.Call) -> MemoryLog.Failure = { call in
      guard isFaulty.withLock(\.self) else { return .none }
      return faults.withLock { random -> MemoryLog.Failure in
        switch (Int.random(in: 0..<200, using: &random), call) {
        case (0, .append): .inDoubt(.written)
        case (1, .append): .inDoubt(.lost)
        case (2, .append): .inDoubt(.writtenLater)
        case (0...4, .read): .late(UInt64(Int.random(in: 0...3, using: &random)))
        case (5...6, _): .unavailable
        default: .none
        }
      }
    }
    let nodes = try ["a", "b", "c"].map { try StoreNode($0, on: servers, fault: fault) }
    try await Self.perform(on: nodes) { node in
      _ = try await node.store.apply(Schema(notation: Value(json: Self.classes)), destructive: false)
    }
    var acknowledged: Set<Int64> = []
    var refused: Set<Int64> = []
    for id in Int64(0)..<240 {
      let node = nodes[Int.random(in: 0..<3, using: &random)]
      switch Int.random(in: 0..<60, using: &random) {
      // One is left that reaches the log.
      case 0: servers.setPartitioned(nodes[id % 2 == 0 ? 0 : 1].name, true)
      case 1...3: for node in nodes { servers.setPartitioned(node.name, false) }
      case 4: try await node.restart()
      case 5:
        try? await Self.perform(on: nodes) { node in
          let text = Self.classes.dropLast() + #",{"name":"C\#(id)","properties":{"n":"int"}}]"#
          _ = try await node.store.apply(Schema(notation: Value(json: String(text))), destructive: true)
        }
      default: break
      }
      // Some are sent to whoever it is.
      let target = try await Self.leader(of: nodes)
      let chosen = Bool.random(using: &random) ? target : node
      let list = (0..<Int.random(in: 0...40, using: &random)).map(String.init).joined(separator: ",")
      do {
        let operation = try chosen.operation("A", #"{"id":\#(id),"text":"t\#(id)","list":[\#(list)]}"#)
        _ = try await chosen.store.perform(Transaction([operation]))
        acknowledged.insert(id)
      } catch let error as OperationError {
        guard error.reason.isOfCluster else { throw error }
        if error.reason != .outcomeUnknown { refused.insert(id) }
      } catch let error as StorageError {
        // A node that has started again may not have the class yet.
        guard error.isOfCluster || error == .unknownClass("A") else { throw error }
      }
    }
    isFaulty.withLock { $0 = false }
    for node in nodes { servers.setPartitioned(node.name, false) }
    let found = try await Self.perform(on: nodes) { node in
      _ = try await node.store.keep([RecordChange(Record.Name("end", "0"), [1])])
      return try Self.objects(of: node, "A")
    }
    #expect(acknowledged.subtracting(found) == [], "lost, seed \(seed)")
    #expect(refused.intersection(found) == [], "refused and there, seed \(seed)")
    try await Self.expectEqual(nodes, "seed \(seed)")
  }
}

extension StorageError {
  /// Whether another try may succeed, here or at another node.
  fileprivate var isOfCluster: Bool {
    switch self {
    case .notLeading, .outcomeUnknown, .logUnavailable, .cancelled: true
    default: false
    }
  }
}
