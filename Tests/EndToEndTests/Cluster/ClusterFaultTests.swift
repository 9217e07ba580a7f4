import GatehouseStoredFiles
import GatehouseTestSupport
import Glibc
import Testing

/// Nodes, log servers and networks that fail while clients write: nothing that was acknowledged is lost, nothing is there or told twice, no
/// read is stale, all files are the same, and each has one record of each creation. `Scripts/cluster-faults` runs the long form.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(ClusterFault.count > 20 ? 180 : 30)))
struct ClusterFaultTests {
  @Test func `no fault loses, doubles or parts anything`() throws {
    // Disks are mounted for the long form only.
    let cluster = try FaultyCluster(hasDisks: ClusterFault.count > 20 && FaultInjection.hasDisks)
    defer { cluster.removeDisks() }
    var rest: [ClusterFault] = []
    var figures: [ClusterFault: (count: Int, silence: Int)] = [:]
    for number in 0..<ClusterFault.count {
      if rest.isEmpty { rest = ClusterFault.shuffled(withDisks: cluster.hasDisks, isFirst: number == 0) }
      let fault = rest.removeLast()
      _ = cluster.writers.takeSilence()
      do { try cluster.happen(fault, number % 3) } catch {
        Issue.record("\(fault) \(number): \(error)")
        break
      }
      let silence = cluster.writers.takeSilence()
      let before = figures[fault] ?? (0, 0)
      figures[fault] = (before.count + 1, max(before.silence, silence))
      if ClusterFault.count > 20 {
        print("\(number + 1) \(fault) \(silence) ms")
        fflush(nil)
      }
      guard cluster.problems.isEmpty else { break }
    }
    cluster.stopClients()
    #expect(cluster.problems == [])
    let untold = cluster.writers.acknowledged.symmetricDifference(cluster.watcher.told)
    #expect(untold.isEmpty, "\(untold.count): \(untold.sorted().prefix(10))")
    try Self.expectObjects(cluster)
    cluster.end()
    let files = try cluster.nodes.map { try FileContent("\($0.folder.data)/gatehouse.db") }
    for file in files {
      // The place in the log is kept now and then, too.
      #expect(files[0].differences(to: file).filter { !$0.contains("replication_point") } == [])
    }
    for node in cluster.nodes {
      let trail = try node.run(["audit", "verify"])
      let count = Int(trail.error.prefix { $0 != " " }.filter(\.isNumber))
      #expect(
        trail.status == 0 && count == cluster.writers.acknowledged.count, "\(node.address): \(trail.error)")
    }
    print(
      "\(ClusterFault.count) faults, \(cluster.writers.acknowledged.count) objects acknowledged, none lost; \(cluster.writers.reads) reads, none stale; \(cluster.watcher.streams) streams, which told each once; \(cluster.administrator.changes) changes of the schema"
    )
    for (fault, figure) in figures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      print("  \(fault) \(figure.count) times, at most \(figure.silence) ms without a write")
    }
  }

  /// The leader has everything, and so has each node that has come to its version.
  private static func expectObjects(_ cluster: FaultyCluster) throws {
    let count = cluster.writers.acknowledged.count
    let version = try cluster.nodes[try cluster.leader()].send("GET", "/v1/cluster").json["version"]
    guard case .int(let version)? = version else { throw SystemError(call: "version", code: 0) }
    for node in cluster.nodes {
      let answer = try node.ask("GET", "/v1/collections", fields: ["If-Version-At-Least": String(version)])
      #expect(answer.body.contains(#""count":\#(count)}"#), "\(answer.body) \(count)")
    }
    let verified = try Gatehouse.run(
      ["cluster", "verify", cluster.nodes.map(\.address).joined(separator: ",")], in: cluster.nodes[0].folder)
    #expect(verified.status == 0, "\(verified)")
  }
}
