import CGatehouseSimulation
import GatehouseSeeded

/// A client that finds a node which has lost the log, does not know yet that another one leads, and is asked for what there is.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class LeaseProbe: @unchecked Sendable {
  private let cluster: Cluster
  private let world: World
  private let client: Client
  private var generator: SeededGenerator
  private var writes = 0
  /// The objects that it writes at most: what it reads is one page, of 1,000.
  private static let mostWrites = 500

  init(of cluster: Cluster, in world: World) {
    (self.cluster, self.world) = (cluster, world)
    client = Client(950, in: world)
    generator = world.scenario.generator(66)
  }

  func run() async {
    for _ in 0..<world.scenario.probes {
      await world.pause(1...3_000)
      if let node = cluster.isolateLeader(for: 6_000 + UInt64.random(in: 0...4_000, using: &generator)) {
        await ask(node)
      }
    }
  }

  /// Writes at other nodes from when they may lead until the one that led does not any more, and reads there.
  private func ask(_ node: Cluster.Node) async {
    let end = sim_now() + 6_000_000_000
    await world.pause(2_900...3_100)
    while sim_now() < end, writes < Self.mostWrites, let service = node.service, node.run?.isLeading == true {
      guard let other = cluster.leader(besides: node) else {
        await world.pause(5...50)
        continue
      }
      writes += 1
      guard await client.insertLast(2_000 + writes, by: other), node.service === service else { continue }
      await client.readStrictly(by: service)
    }
  }
}
