import GatehouseStoredFiles
import GatehouseTestSupport
import Glibc
import Testing

/// Nodes and log servers that are killed, stopped and ended while clients write: nothing that was acknowledged is lost, nothing is there
/// twice, and all files are the same. `Scripts/cluster-faults` runs the long form.
@Suite(
  .enabled(if: Machine.natsServer != nil, "nats-server is not there: Scripts/cluster install"),
  .timeLimit(.minutes(ClusterFault.count > 20 ? 120 : 10)))
struct ClusterFaultTests {
  /// The node that leads, as the first one says that answers.
  private static func leader(of nodes: [ServedNode]) throws -> Int {
    for _ in 0..<600 {
      for node in nodes {
        let state = try? LocalPort(node.port, seconds: 5).send("GET", "/v1/cluster").json
        if let name = state?["leader"]?.string, let index = nodes.firstIndex(where: { $0.address == name }) {
          return index
        }
      }
      usleep(50_000)
    }
    throw SystemError(call: "leader", code: 0)
  }

  private static func happen(
    _ fault: ClusterFault, _ index: Int, _ nodes: [ServedNode], _ servers: LogServers,
    _ writers: ClusterWriters
  ) throws {
    switch fault {
    case .killNode, .killLeader:
      let index = try fault == .killLeader ? leader(of: nodes) : index
      nodes[index].kill()
      writers.wait(for: 20)
      try nodes[index].start()
    case .stopNode:
      nodes[index].server?.process.send(SIGSTOP)
      writers.wait(for: 20)
      nodes[index].server?.process.send(SIGCONT)
    case .terminateNode:
      #expect(nodes[index].stop() == 0)
      writers.wait(for: 20)
      try nodes[index].start()
    case .killServer:
      servers.kill(index)
      writers.wait(for: 20)
      try servers.start(index)
    case .stopServer:
      servers.send(SIGSTOP, to: index)
      writers.wait(for: 20)
      servers.send(SIGCONT, to: index)
    case .killAllNodes:
      for node in nodes { node.kill() }
      for node in nodes { try node.start() }
    }
    writers.wait(for: 20)
  }

  @Test func `no fault loses, doubles or parts anything`() throws {
    let servers = try LogServers()
    let nodes = try Machine.freePorts(3).map { try ServedNode(servers.setting, port: $0) }
    for node in nodes { try node.start() }
    #expect(try nodes[0].send("PUT", "/v1/schema", body: ClusterServeTests.schema).status == "200 OK")
    let writers = ClusterWriters(3, at: nodes.map(\.port))
    writers.wait(for: 20)
    var rest: [ClusterFault] = []
    for number in 0..<ClusterFault.count {
      if rest.isEmpty { rest = ClusterFault.allCases.shuffled() }
      let fault = rest.removeLast()
      do { try Self.happen(fault, number % 3, nodes, servers, writers) } catch {
        Issue.record("\(fault) \(number): \(error)")
        break
      }
    }
    writers.stop()
    #expect(writers.problems == [])
    let acknowledged = writers.acknowledged
    // The leader has everything, and so has each node that has come to its version.
    let version = try nodes[try Self.leader(of: nodes)].send("GET", "/v1/cluster").json["version"]
    guard case .int(let version)? = version else { throw SystemError(call: "version", code: 0) }
    for node in nodes {
      var answer: RunningServer.Answer
      repeat {
        answer = try node.send(
          "GET", "/v1/collections", fields: ["If-Version-At-Least": String(version)])
      } while answer.status.hasPrefix("503")
      #expect(
        answer.body.contains(#""count":\#(acknowledged.count)}"#), "\(answer.body) \(acknowledged.count)")
    }
    for node in nodes { #expect(node.stop() == 0) }
    let files = try nodes.map { try FileContent("\($0.folder.data)/gatehouse.db") }
    for file in files {
      // The place in the log is kept now and then, too.
      #expect(files[0].differences(to: file).filter { !$0.contains("replication_point") } == [])
    }
    print("\(ClusterFault.count) faults, \(acknowledged.count) objects acknowledged, none lost")
  }
}

/// Something that goes wrong with a node, or with a log server.
enum ClusterFault: CaseIterable {
  case killNode, stopNode, terminateNode, killLeader, killServer, stopServer, killAllNodes

  /// How many the test has happen; `Scripts/cluster-faults` sets it.
  static let count = Machine.variable("GATEHOUSE_FAULTS").flatMap { Int($0) } ?? allCases.count
}
