import GatehouseTestSupport
import Glibc
import Testing

/// Three nodes on three log servers, with a network between them that can fail, and clients who create objects, are told of them, and change
/// the schema all the time. Creations are recorded, and the change log is kept small.
final class FaultyCluster {
  let nodes: [ServedNode]
  private let servers: LogServers
  /// The proxies of each node, one for each server.
  private let proxies: [[TCPProxy]]
  /// The proxy by which other nodes reach each.
  private let entrances: [TCPProxy]
  let writers: ClusterWriters
  let watcher: ClusterWatcher
  let administrator: ClusterAdministrator
  /// Whether each node and server has a small disk of its own.
  let hasDisks: Bool
  private var random = SystemRandomNumberGenerator()

  /// The objects that clients create before a fault ends, and behind it.
  private static let pace = 20
  /// The megabytes of a disk.
  private static let diskSize = 192
  /// The change log has to hold what a watcher has not been told of when a fault ends.
  private static let settings = [
    "GATEHOUSE_AUDIT=onDemand", "GATEHOUSE_AUDIT_ALWAYS=Item:write", "GATEHOUSE_LOG_MEGABYTES=2",
  ]

  init(hasDisks: Bool) throws {
    self.hasDisks = hasDisks
    let servers = try LogServers(diskSize: hasDisks ? FaultyCluster.diskSize : nil, canPart: true)
    let proxies = try (0..<3).map { _ in try servers.ports.map { try TCPProxy(to: $0) } }
    let ports = Machine.freePorts(3)
    let entrances = try ports.map { try TCPProxy(to: $0) }
    nodes = try ports.indices.map { index in
      try ServedNode(
        servers.setting(through: proxies[index].map(\.port)), port: ports[index],
        proxy: entrances[index].port, environment: FaultyCluster.settings)
    }
    (self.servers, self.proxies, self.entrances) = (servers, proxies, entrances)
    if hasDisks { for node in nodes { try Disk.mount(node.folder.data, megabytes: FaultyCluster.diskSize) } }
    for node in nodes {
      node.program = ClusterFault.previousRelease ?? Gatehouse.path
      try node.start()
    }
    #expect(try nodes[0].send("PUT", "/v1/schema", body: ClusterServeTests.schema).status == "200 OK")
    writers = ClusterWriters(3, at: nodes.map(\.port))
    watcher = ClusterWatcher(at: nodes.map(\.port))
    administrator = ClusterAdministrator(at: nodes.map(\.port))
    writers.wait(for: FaultyCluster.pace)
  }

  /// The answers that no client should have had.
  var problems: [String] { writers.problems + watcher.problems + administrator.problems }

  func stopClients() {
    administrator.stop()
    writers.stop()
    watcher.stop(after: writers.acknowledged)
  }

  /// Ends everything but the files. To be called once.
  func end() {
    for node in nodes { #expect(node.stop() == 0) }
    for proxy in proxies.joined() + entrances { proxy.end() }
  }

  func removeDisks() {
    guard hasDisks else { return }
    servers.end()
    for path in nodes.map(\.folder.data) + servers.data { Disk.unmount(path) }
  }

  /// The node that leads, as the first one says that answers.
  func leader() throws -> Int {
    for _ in 0..<1_200 {
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

  private func goOn() { writers.wait(for: FaultyCluster.pace) }

  func happen(_ fault: ClusterFault, _ index: Int) throws {
    switch fault {
    case .killNode: try kill(index)
    case .killLeader: try kill(leader())
    case .stopNode:
      nodes[index].server?.process.send(SIGSTOP)
      goOn()
      nodes[index].server?.process.send(SIGCONT)
    case .terminateNode: try terminate(index)
    case .upgradeNode:
      let index = nodes.firstIndex { $0.program != Gatehouse.path } ?? index
      nodes[index].program = Gatehouse.path
      try terminate(index)
    case .killAllNodes:
      for node in nodes { node.kill() }
      for node in nodes { try node.start() }
    case .killServer:
      servers.kill(index)
      goOn()
      try servers.start(index)
    case .stopServer:
      servers.send(SIGSTOP, to: index)
      goOn()
      servers.send(SIGCONT, to: index)
    case .killTwoServers:
      for server in 0..<3 where server != index { servers.kill(server) }
      for server in 0..<3 where server != index { try servers.start(server) }
    case .cutNode: cut(proxies[index])
    case .cutLeader: cut(proxies[try leader()])
    case .cutServer: cut(proxies.map { $0[index] })
    case .cutEntrance: cut([entrances[try leader()]])
    case .partServer: try part((0..<3).filter { $0 != index }.map { (index, $0) }, during: goOnEverywhere)
    case .partTwoServers: try part([(index, (index + 1) % 3)], during: goOnEverywhere)
    case .removePeer: try removePeer(index)
    case .removeServer: try removeServer(index)
    case .fillNode: Disk.fill(nodes[index].folder.data, while: goOn)
    case .fillServer: try fillServer(index)
    case .wipeNode:
      nodes[index].kill()
      nodes[index].wipe()
      goOn()
      try nodes[index].start()
    case .loseLog: try loseLog()
    case .damageServer: try damageServer(index)
    case .shiftClock:
      let clock = try ShiftedClock()
      nodes[index].kill()
      try nodes[index].start(clock.environment)
      for shift in [3_600, -3_600].shuffled() {
        try clock.set(shift)
        goOn()
      }
      try kill(index)
    }
    goOn()
    servers.waitUntilWhole()
  }

  private func kill(_ index: Int) throws {
    nodes[index].kill()
    goOn()
    try nodes[index].start()
  }

  private func terminate(_ index: Int) throws {
    #expect(nodes[index].stop() == 0)
    goOn()
    try nodes[index].start()
  }

  private func cut(_ proxies: [TCPProxy]) {
    let failure = TCPProxy.Failure.allCases.randomElement(using: &random)
    for proxy in proxies { proxy.fail(failure) }
    goOn()
    for proxy in proxies { proxy.fail(nil) }
  }

  /// Cuts the network between pairs of servers, which nodes reach all of.
  private func part(_ pairs: [(Int, Int)], during body: () throws -> Void) rethrows {
    let failure = TCPProxy.Failure.allCases.randomElement(using: &random)
    for (first, second) in pairs { servers.fail(failure, between: first, and: second) }
    defer { for (first, second) in pairs { servers.fail(nil, between: first, and: second) } }
    try body()
  }

  /// Clients go on, and every node has news: a server that the others do not reach is left.
  private func goOnEverywhere() throws {
    goOn()
    for node in nodes {
      var state: JSON?
      for _ in 0..<600 where state?["fresh"] != .bool(true) {
        state = try? LocalPort(node.port, seconds: 5).send("GET", "/v1/cluster").json
        usleep(50_000)
      }
      #expect(state?["fresh"] == .bool(true), "\(node.address) \(state as Any)")
    }
  }

  /// An operator has the log go on without a server that the others do not reach: they refuse that as long as there is none in its place.
  private func removePeer(_ index: Int) throws {
    try part((0..<3).filter { $0 != index }.map { (index, $0) }) {
      goOn()
      // While the servers choose one of them, nobody answers.
      var answer = ""
      for _ in 0..<10 where !answer.contains("stream_remove_peer_response") {
        answer = try servers.removePeer(index)
      }
      #expect(answer.contains("peer remap failed"), "\(answer)")
      goOn()
    }
  }

  /// An operator has all logs go on without a server that is gone, which comes back nevertheless.
  private func removeServer(_ index: Int) throws {
    servers.kill(index)
    goOn()
    var answer = ""
    for _ in 0..<20 where !answer.contains(#""success":true"#) { answer = try servers.removeServer(index) }
    #expect(answer.contains(#""success":true"#), "\(answer)")
    goOn()
    try servers.start(index)
    goOn()
    servers.waitUntilTripled()
  }

  /// A server that could not write has to be started again.
  private func fillServer(_ index: Int) throws {
    Disk.fill(servers.data[index], while: goOn)
    servers.kill(index)
    try servers.start(index)
  }

  /// Damages what a server has, as its disk might while it is off, and gives it an empty disk when it has been seen. Nodes that have stopped
  /// because of what it said are started again.
  private func damageServer(_ index: Int) throws {
    servers.kill(index)
    servers.damage(index)
    try servers.start(index)
    goOn()
    servers.wipe(index)
    try servers.start(index)
    servers.waitUntilWhole()
    for node in nodes where !node.isAlive {
      node.kill()
      try node.start()
    }
  }

  /// All log servers lose everything: the node that has come furthest begins another log, and the others become copies.
  private func loseLog() throws {
    servers.wipe()
    for node in nodes { node.kill() }
    try servers.startAll()
    let versions = try nodes.map { node in
      let stated = try node.run(["cluster", "recover"])
      return try #require(
        stated.output.firstMatch(of: /version (\d+)/).flatMap { Int($0.1) }, "\(stated)")
    }
    let version = try #require(versions.max())
    let first = nodes[try #require(versions.firstIndex(of: version))]
    let recovered = try first.run(["cluster", "recover", String(version)])
    #expect(recovered.status == 0, "\(recovered)")
    try first.start()
    for node in nodes where node !== first {
      let copied = try node.run(["cluster", "snapshot", first.address])
      #expect(copied.status == 0, "\(copied)")
      try node.start()
    }
  }
}

/// Small disks, which may be full.
enum Disk {
  static func mount(_ path: String, megabytes: Int) throws {
    let outcome = Machine.run(
      "mkdir -p '\(path)' && mount -t tmpfs -o size=\(megabytes)m tmpfs '\(path)' 2>&1")
    guard outcome.status == 0 else { throw SystemError(call: outcome.output, code: outcome.status) }
  }

  static func unmount(_ path: String) { _ = Machine.run("umount -l '\(path)' 2>&1") }

  /// Leaves no room, until `body` is through.
  static func fill(_ path: String, while body: () -> Void) {
    _ = Machine.run("dd if=/dev/zero of='\(path)/ballast' bs=64k 2>&1")
    body()
    _ = Machine.run("rm -f '\(path)/ballast'")
  }
}
