import GatehouseSeeded
import GatehouseTestSupport
import Glibc

@testable import GatehouseCluster

/// Things that happen to servers while writers append: each once, in an order that a seed gives, and again from the beginning.
///
/// `GATEHOUSE_FAULTS` says how many; `Scripts/cluster-faults` sets it.
struct ServerFaults {
  enum Kind: CaseIterable {
    case kill
    case stop
    case terminate
    case killAll
    case killTwo
  }

  static let count = Machine.variable("GATEHOUSE_FAULTS").flatMap { Int($0) } ?? Kind.allCases.count
  private var random: SeededGenerator
  private var kinds: [Kind] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Has the next fault happen, and waits until the log takes appends again, in whatever time. Returns what it was.
  mutating func next(
    _ servers: some LogServers, _ writers: AppendingWriters, _ log: any ReplicatedLog
  ) throws
    -> Kind
  {
    if kinds.isEmpty { kinds = Kind.allCases.shuffled(using: &random) }
    let kind = kinds.removeLast()
    let order = Array(0..<servers.count).shuffled(using: &random)
    let processes = servers.processes
    writers.wait(for: 30)
    switch kind {
    case .kill, .terminate:
      processes.send(kind == .kill ? SIGKILL : SIGTERM, to: order[0])
      // The others go on.
      writers.wait(for: 30)
      try processes.start(order[0])
    case .stop:
      processes.send(SIGSTOP, to: order[0])
      writers.wait(for: 30)
      processes.send(SIGCONT, to: order[0])
    case .killTwo:
      for index in order.prefix(2) { processes.send(SIGKILL, to: index) }
      for index in order.prefix(2) { try processes.start(index) }
    case .killAll:
      for index in order { processes.send(SIGKILL, to: index) }
      for index in order { try processes.start(index) }
    }
    writers.wait(for: 30)
    _ = try servers.waitUntilReady(log)
    return kind
  }
}
