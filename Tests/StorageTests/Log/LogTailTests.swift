import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

@testable import GatehouseStorage

/// The last commits in memory: whoever reads the log must not notice where a row comes from.
@Suite struct LogTailTests {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","text":{"type":"string?","mapTo":"t"},"x":"mixed",
      "list":"int[]","set":"string<>","map":"mixed{}","e":"E","when":"date?","half":"double?"}},
     {"name":"B","properties":{"a":"A","data":"data?"}},
     {"name":"E","embedded":true,"properties":{"n":"int"}}]
    """
  private static let values = [
    #""text":null"#, #""text":"some words""#, #""x":{"$oid":"650000000000000000000001"}"#,
    #""x":[1,{"k":2.5}]"#,
    #""list":[1,2,3]"#, #""set":["a","b"]"#, #""map":{"k":1,"l":null}"#, #""map":{"k":{"d":[]}}"#,
    #""e":{"n":4}"#,
    #""when":"2024-01-02T03:04:05.123456789Z""#, #""half":-0.0"#, #""half":0.1"#,
  ]

  private static func operation(
    _ store: TemporaryStore, _ generator: inout SeededGenerator
  ) throws -> Operation {
    let id = Int.random(in: 0..<12, using: &generator)
    let value = values.randomElement(using: &generator) ?? ""
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<3: return try store.creation("A", #"{"id":\#(id),\#(value)}"#, .all)
    case 3..<4: return try store.creation("A", #"{"id":\#(id),\#(value)}"#)
    case 4..<7: return try store.patch("A", .int(Int64(id)), "{\(value)}")
    case 7: return .delete(objectType: "A", id: .int(Int64(id)), precondition: .none)
    default: return try store.creation("B", #"{"data":"AAEC"}"#)
    }
  }

  /// Performs a few transactions, of which some fail, perhaps as a group, or something rarer.
  private static func change(_ store: TemporaryStore, _ generator: inout SeededGenerator) async throws {
    switch Int.random(in: 0..<40, using: &generator) {
    case 0: store.store.keepTail(Bool.random(using: &generator))
    case 1: try await store.store.shortenLog()
    case 2:
      let extra = #"{"name":"C\#(store.store.version)","properties":{"n":"int"}}]"#
      let notation = String(decoding: store.store.schema.notation.plainJSON, as: UTF8.self)
      _ = try await store.apply(String(notation.dropLast()) + "," + extra)
    case 3:
      let creation = try store.creation("B", "{}")
      let pieces = Pieces([[creation, creation], [creation]])
      _ = try await store.store.load { pieces.next() }
    default:
      var transactions: [[Operation]] = []
      for _ in 0..<Int.random(in: 1..<5, using: &generator) {
        var operations: [Operation] = []
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
          operations.append(try operation(store, &generator))
        }
        transactions.append(operations)
      }
      _ = try await store.performTogether(transactions)
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a page of the log is the same from memory and from the file`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var options = StoreOptions()
    options.logSize = 20_000
    let store = try await TemporaryStore(Self.schema, options: options)
    store.store.keepTail(true)
    var fromMemory = 0
    for _ in 0..<60 {
      try await Self.change(store, &generator)
      try store.reading.snapshot { (snapshot) throws(StorageError) in
        let file = LogReader(session: snapshot.session)
        for _ in 0..<8 {
          let version = Int64.random(in: max(0, snapshot.version - 12)...snapshot.version, using: &generator)
          let ordinal = Bool.random(using: &generator) ? .max : Int64.random(in: 0..<4, using: &generator)
          let start = LogPosition(version: version, ordinal: ordinal)
          let last = Int64.random(in: max(0, snapshot.version - 14)...snapshot.version, using: &generator)
          let limit = Int.random(in: 1..<12, using: &generator)
          let objectType = ["A", "B", nil].randomElement(using: &generator) ?? nil
          let isKept = snapshot.log.tail?.commits(after: start, through: last) != nil
          let expected = try file.page(
            after: start, through: last, limit: limit, objectType: objectType, snapshot.images)
          let page = try snapshot.log.page(
            after: start, through: last, limit: limit, objectType: objectType, snapshot.images)
          #expect(
            "\(page)" == "\(expected)", "seed \(seed), after \(start.text) through \(last), kept: \(isKept)")
          if isKept, !page.changes.isEmpty { fromMemory += 1 }
        }
      }
    }
    #expect(fromMemory > 30)
    #expect(try store.violations() == [])
  }

  @Test func `nothing is kept while nobody follows the log`() async throws {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("B", "{}")
    let tail = store.reading.tail
    #expect(tail.commits(after: LogPosition(version: 1), through: 2) == nil)
    store.store.keepTail(true)
    for _ in 0..<3 { try await store.create("B", "{}") }
    // The first one after that may have begun before.
    #expect(tail.commits(after: LogPosition(version: 3), through: 5)?.map(\.version) == [4, 5])
    store.store.keepTail(false)
    #expect(tail.commits(after: LogPosition(version: 3), through: 5) == nil)
    #expect(try store.changes(from: .after(LogPosition(version: 3))).changes.count == 2)
  }

  @Test func `a load that is larger than the tail is read from the file`() async throws {
    let store = try await TemporaryStore(Self.schema)
    store.store.keepTail(true)
    try await store.create("B", "{}")
    let large = #"{"data":"\#(String(repeating: "AAAA", count: 250_000))"}"#
    let pieces = Pieces(try (0..<12).map { _ in [try store.creation("B", large)] })
    let version = try await store.store.load { pieces.next() }
    let tail = store.reading.tail
    #expect(tail.commits(after: LogPosition(version: version - 1), through: version) == nil)
    #expect(try store.changes(from: .after(LogPosition(version: version - 1)), limit: 3).changes.count == 3)
    try await store.create("B", "{}")
    #expect(tail.commits(after: LogPosition(version: version), through: version + 1)?.count == 1)
  }

  /// A piece with a commit of one row for each version, each of about `size` bytes.
  private static func piece(_ versions: ClosedRange<Int64>, size: Int = 0) -> LogPiece {
    var piece = LogPiece(after: versions.lowerBound - 1, limit: 10_000)
    for version in versions {
      piece.append(
        LogRow(
          ordinal: 0, objectType: "A", key: version, id: .int(version), operation: .insert, before: nil,
          after: Array(repeating: 0, count: size), elements: nil))
      piece.appendCommit(version, time: Date(seconds: version))
    }
    return piece
  }

  /// The versions behind that one, through the last.
  private static func versions(_ tail: LogTail, after version: Int64, through last: Int64) -> [Int64]? {
    tail.commits(after: LogPosition(version: version), through: last)?.map(\.version)
  }

  @Test func `the oldest commits go when there is no room`() {
    let tail = LogTail(budget: 10_000)
    tail.want(true)
    _ = tail.add(nil, through: 0)
    for version in 1...100 as ClosedRange<Int64> {
      #expect(tail.add(Self.piece(version...version, size: 1_000), through: version) != nil)
      #expect(Self.versions(tail, after: version - 1, through: version) == [version])
    }
    #expect(Self.versions(tail, after: 80, through: 100) == nil)
    #expect(Self.versions(tail, after: 95, through: 100) == [96, 97, 98, 99, 100])
    #expect(Self.versions(tail, after: 95, through: 97) == [96, 97])
    #expect(Self.versions(tail, after: 95, through: 101) == nil)
    #expect(Self.versions(tail, after: 100, through: 100) == [])
  }

  @Test func `what comes behind a gap begins anew`() {
    let tail = LogTail(budget: 10_000)
    tail.want(true)
    _ = tail.add(nil, through: 3)
    _ = tail.add(Self.piece(4...6), through: 6)
    #expect(Self.versions(tail, after: 3, through: 6) == [4, 5, 6])
    // 7 is not among them.
    _ = tail.add(Self.piece(8...9), through: 9)
    #expect(Self.versions(tail, after: 3, through: 6) == nil)
    #expect(Self.versions(tail, after: 7, through: 9) == nil)
    _ = tail.add(Self.piece(10...10), through: 10)
    #expect(Self.versions(tail, after: 9, through: 10) == [10])
    // One that is not whole.
    _ = tail.add(Self.piece(11...11), through: 12)
    #expect(Self.versions(tail, after: 10, through: 11) == nil)
  }

  @Test func `a piece with a creation that leaves its image to the row is not whole`() {
    for (after, isWhole) in [(nil, false), ([], true)] as [([UInt8]?, Bool)] {
      var piece = Self.piece(4...5)
      piece.append(
        LogRow(
          ordinal: 0, objectType: "A", key: 1, id: .int(1), operation: .insert, before: nil, after: after,
          elements: nil))
      piece.appendCommit(6, time: Date(seconds: 6))
      #expect(piece.isWhole(through: 6) == isWhole)
    }
  }

  @Test func `what was rolled back is not kept`() {
    var piece = Self.piece(4...7)
    func append(_ key: Int64) {
      piece.append(
        LogRow(
          ordinal: 0, objectType: "A", key: key, id: .int(key), operation: .delete, before: nil, after: nil,
          elements: nil))
    }
    append(1)
    piece.rollBack(to: 5)
    #expect(piece.commits.map(\.version) == [4, 5])
    #expect(piece.isWhole(through: 5))
    #expect(!piece.isWhole(through: 6))
    append(2)
    piece.appendCommit(6, time: Date(seconds: 6))
    #expect(piece.commits.map(\.rows.count) == [1, 1, 1])
    #expect(piece.commits.last?.rows.map(\.key) == [2])
  }
}
