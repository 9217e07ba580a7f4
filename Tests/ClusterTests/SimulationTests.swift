import GatehouseTestSupport
import Testing

@testable import GatehouseCluster

/// The whole protocol under partitions, crashes, lost and late messages, clocks that run at different rates: each seed is the same run
/// each time.
///
/// `GATEHOUSE_SEEDS` says how many seeds.
struct SimulationTests {
  private static let seedCount = Machine.variable("GATEHOUSE_SEEDS").flatMap { UInt64($0) } ?? 30

  @Test(arguments: 0..<seedCount)
  func
    `nothing that was acknowledged is lost, doubled or reordered, and all nodes are the same in the end`(
      seed: UInt64
    ) throws
  {
    let simulation = ClusterSimulation(seed: seed, nodeCount: 3 + Int(seed % 3))
    simulation.run(seconds: 90)
    #expect(simulation.findings == [], "seed \(seed)")
    let log = try LogReading(simulation.history)
    for node in simulation.nodes {
      #expect(node.store.commits == log.commits, "seed \(seed), \(node.name.text)")
    }
    #expect(Set(log.commits).count == log.commits.count, "seed \(seed)")
    let lost = Set(simulation.acknowledged.keys).subtracting(log.commits)
    #expect(lost.isEmpty, "seed \(seed)")
    // A commit that was answered before another one began comes before it.
    var lastBegin: UInt64 = 0
    for value in log.commits {
      if let answer = simulation.acknowledged[value] {
        #expect(answer >= lastBegin, "seed \(seed): \(value)")
      }
      lastBegin = max(lastBegin, try #require(simulation.begun[value]))
    }
    // It went on when the faults were over.
    #expect(simulation.nodes.count { $0.state?.leadingEpoch != nil } == 1, "seed \(seed)")
    #expect(simulation.acknowledged.count > 100, "seed \(seed)")
  }

  @Test func `a seed is the same run each time`() {
    let runs = (0..<2).map { _ in
      let simulation = ClusterSimulation(seed: 7, nodeCount: 3)
      simulation.run(seconds: 40)
      return simulation.history
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0].count > 100)
  }
}

/// The commits of a log, read without ``EntryVerifier``.
struct LogReading {
  private(set) var commits: [String] = []

  init(_ items: [LogPage.Item]) throws {
    var (epoch, leader, hash): (UInt64, String?, [UInt8]) = (0, nil, EntryHash.none.bytes)
    var parts: [Entry] = []
    for (index, item) in items.enumerated() {
      #expect(item.position == UInt64(index) + 1)
      let entry = try Entry.decode(item.bytes).entry
      #expect(entry.previous.bytes == hash)
      hash = Array(item.bytes.suffix(32))
      if entry.kind == .takeover {
        epoch += 1
        leader = entry.node
      }
      #expect(
        entry.epoch == epoch && entry.node == leader, "the fence is broken at \(item.position)")
      if entry.kind == .resignation { leader = nil }
      if entry.kind == .takeover || entry.part.number == 0 && entry.kind == .rows { parts = [] }
      guard entry.kind == .rows else { continue }
      parts.append(entry)
      if entry.part.isLast {
        commits.append(String(decoding: parts.flatMap(\.rows), as: UTF8.self))
      }
    }
  }
}
