import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import Testing

@testable import GatehouseFeeds

/// The memory of streams that come back from far behind.
@Suite struct ReplayMemoryTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string","n":"int"}}]
    """
  private static let objects = 3_000

  /// Objects of about half a kilobyte, each of which is changed twice, far from where it was made.
  private static func filled() async throws -> FeedStore {
    let store = try await FeedStore(schema)
    for start in stride(from: 0, to: objects, by: 500) {
      try await store.commit(
        (start..<start + 500).map { id in
          let text = String(repeating: "\(id) ", count: 40)
          return try store.creation("Note", #"{"_id":\#(id),"text":"\#(text)","n":0}"#)
        })
    }
    for n in 1...2 {
      for start in stride(from: 0, to: objects, by: 500) {
        try await store.commit(
          (start..<start + 500).map { id in
            try store.update("Note", .int(Int64((id * 7) % objects)), #"{"n":\#(n)}"#)
          })
      }
    }
    return store
  }

  private final class Client: Sendable {}

  @Test(arguments: [1, 12])
  func `a stream holds a mebibyte, however much lies before it`(count: Int) async throws {
    let store = try await Self.filled()
    let options = FeedOptions()
    #expect(options.replayMemory.total == 1 << 20)
    let replays = Replays(store.store, options)
    let clients = (0..<count).map { _ in Client() }
    var (events, isDone) = (Array(repeating: 0, count: count), Array(repeating: false, count: count))
    for client in clients {
      try await replays.begin(
        ObjectIdentifier(client), Subscription(.objectType("Note"), filter: "n < 2"), from: .log(.oldest))
    }
    var (largest, turn) = (0, 0)
    while isDone.contains(false) {
      // Some are slower than others, so that they are at different places.
      for (number, client) in clients.enumerated() where !isDone[number] && turn % (1 + number % 3) == 0 {
        switch try await replays.next(ObjectIdentifier(client), through: LogPosition(version: .max)) {
        case .events(let encoded, _): events[number] += encoded.eventCount
        case .end(let encoded):
          events[number] += encoded.eventCount
          isDone[number] = true
        case .preparing: break
        }
        largest = max(largest, replays.memorySize)
      }
      turn += 1
    }
    #expect(largest <= count * options.replayMemory.total, "\(largest)")
    // As much as is there to be used, else a budget would say nothing.
    #expect(largest > count * options.replayMemory.total / 4, "\(largest)")
    #expect(events == Array(repeating: 3 * Self.objects, count: count))
    for client in clients { await replays.end(ObjectIdentifier(client)) }
    #expect(replays.memorySize == 0)
  }

  @Test func `those who are at the same place share what is read`() async throws {
    let store = try await Self.filled()
    let metrics = Registry()
    let replays = Replays(store.store, FeedOptions(), metrics: metrics)
    let clients = (0..<12).map { _ in Client() }
    for client in clients {
      try await replays.begin(ObjectIdentifier(client), Subscription(.everything), from: .log(.oldest))
    }
    var running = clients
    while !running.isEmpty {
      var next: [Client] = []
      for client in running {
        if case .end = try await replays.next(ObjectIdentifier(client), through: LogPosition(version: .max)) {
          continue
        }
        next.append(client)
      }
      running = next
    }
    let line = String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("gatehouse_feed_replayed_changes")
    }
    let walked = try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    // Each change once, with that of the schema; the last piece, behind which there is no other, is not kept.
    #expect((3 * Self.objects + 1..<3 * Self.objects + 12 * 512).contains(walked), "\(walked)")
  }

  @Test(
    arguments: [
      (.int(1), 0), (.string("short"), 0), (.string(String(repeating: "x", count: 100)), 140),
      (.list([.int(1), .int(2)]), 40 + 2 * MemoryLayout<Mixed>.stride),
      (.dictionary([.init(key: "a", value: .data([1, 2, 3]))]), 40 + MemoryLayout<Mixed.Entry>.stride + 43),
    ] as [(Mixed, Int)])
  func `values are counted with what they allocate`(value: Mixed, size: Int) {
    #expect(value.heapSize == size)
  }

  @Test func `pieces leave in the order in which they came`() throws {
    func cursor(_ version: Int64) -> ReplayCursor {
      ReplayCursor(
        subscription: Subscription(.everything), position: EventPosition(LogPosition(version: version)))
    }
    var pieces = ReplayPieces()
    for version in 1...5 as ClosedRange<Int64> {
      let encoded = EncodedEvents(Array(repeating: UInt8(version), count: 744))
      pieces.keep(
        .init(encoded: encoded, end: LogPosition(version: version + 1)), at: cursor(version), limit: 3_000)
    }
    #expect(pieces.size == 3_000)
    #expect((1...5).map { pieces[cursor($0)]?.end.version } == [nil, nil, 4, 5, 6])
    // Objects that are there already are not counted twice.
    pieces.keep(.init(encoded: EncodedEvents(), end: LogPosition(version: 9)), at: cursor(4), limit: 3_000)
    #expect((pieces.size, pieces[cursor(4)]?.end.version) == (3_000, 5))
    pieces.trim(to: 1_999)
    #expect((pieces.size, pieces[cursor(5)]?.end.version) == (1_000, 6))
  }
}

extension EncodedEvents {
  fileprivate var eventCount: Int {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("data: ") }
  }
}
