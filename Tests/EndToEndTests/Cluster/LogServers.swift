import GatehouseTestSupport
import Glibc

/// Three NATS servers that keep a log, in a folder of theirs.
final class LogServers {
  private let servers: NATSServers
  /// The network between them: a proxy for each server and each other one that it connects to; none where it does not fail.
  private let proxies: [[TCPProxy]]

  /// - Parameters:
  ///   - diskSize: The megabytes of a disk that each has of its own; nil: they have the machine's.
  ///   - canPart: Whether the network between them can fail.
  init(diskSize: Int? = nil, canPart: Bool = false) throws {
    var proxies: [[TCPProxy]] = []
    servers = try NATSServers(
      count: 3, in: Machine.variable("TMPDIR") ?? "/tmp",
      settings: """
        accounts { SYS { users: [{user: operator, password: operator}] }, G { jetstream: enabled, users: [{user: g, password: g}] } }
        system_account: SYS
        no_auth_user: g
        """
    ) { index, ports in
      // Clients are told of no other addresses than they have: there may be a proxy before each.
      let others = ports.indices.filter { $0 != index }
      guard canPart else {
        return "no_advertise: true, routes: [\(NATSServers.routes(others.map { ports[$0] }))]"
      }
      let own = try ports.map { try TCPProxy(to: $0) }
      proxies.append(own)
      // Others are told of a port that nobody has, so that they connect by the proxies only.
      let routes = NATSServers.routes(others.map { own[$0].port })
      return "no_advertise: true, advertise: \"127.0.0.1:1\", routes: [\(routes)]"
    }
    self.proxies = proxies
    for index in 0..<3 {
      if let diskSize { try Disk.mount(data[index], megabytes: diskSize) }
      try start(index)
    }
  }

  /// The ports at which clients find them.
  var ports: [UInt16] { servers.ports }

  /// Has the network between two servers fail, or work again.
  func fail(_ failure: TCPProxy.Failure?, between first: Int, and second: Int) {
    for proxy in [proxies[first][second], proxies[second][first]] { proxy.fail(failure) }
  }

  /// The setting by which a node finds them.
  var setting: String { setting(through: ports) }

  /// Returns the setting by which a node finds them through other ports.
  ///
  /// - Parameter begins: Whether a node that has nothing begins a log that is empty.
  func setting(through ports: [UInt16], begins: Bool = true) -> String {
    "nats://\(ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))?monitor=\(servers.monitors[0])\(begins ? "" : "&begin=no")"
  }

  /// Starts three nodes of a cluster, whose administrator has that key.
  func startNodes(operatorKey: String) throws -> [ServedNode] {
    let nodes = try Machine.freePorts(3).map {
      try ServedNode(setting, port: $0, environment: ["GATEHOUSE_ADMIN_KEY=\(operatorKey)"])
    }
    for node in nodes { try node.start() }
    return nodes
  }

  /// The folders in which they keep what they have.
  var data: [String] { servers.data }

  /// Starts a server, for the first time or again, as often as it takes: somebody may have its ports for a moment.
  func start(_ index: Int) throws {
    for _ in 0..<100 {
      try servers.processes.start(index)
      repeat {
        let answer = try? LocalPort(servers.monitors[index], seconds: 5).send("GET", "/varz")
        if answer?.status == "200 OK" { return }
        usleep(20_000)
      } while !servers.processes.hasEnded(index)
    }
    throw SystemError(call: servers.processes.log, code: 0)
  }

  func startAll() throws { for index in ports.indices { try start(index) } }

  /// Waits until all servers have what the others have, for some time at most.
  func waitUntilWhole() {
    for monitor in servers.monitors {
      for _ in 0..<1_200 {
        if (try? LocalPort(monitor, seconds: 5).send("GET", "/healthz").status) == "200 OK" { break }
        usleep(50_000)
      }
    }
  }

  /// The names of the streams that there are, as the first server says.
  func streams() throws -> Set<Substring> {
    let answer = try LocalPort(servers.monitors[0], seconds: 5).send("GET", "/jsz?streams=true&accounts=true")
    return Set(answer.body.matches(of: /"name":\s*"(gatehouse-[^"]+)"/).map(\.1))
  }

  /// Ends all servers, and removes what they have.
  func wipe() {
    for index in ports.indices { wipe(index) }
  }

  /// Ends a server, and removes what it has.
  func wipe(_ index: Int) {
    kill(index)
    _ = Machine.run("find '\(data[index])' -mindepth 1 -delete")
  }

  /// Changes bytes of the blocks of messages that a server has, or cuts them off, while it does not run.
  func damage(_ index: Int) {
    let files = Machine.run("find '\(data[index])' -path '*gatehouse-gatehouse/msgs/*.blk' -size +0")
    for path in files.output.split(separator: "\n") {
      guard let file = fopen(String(path), "r+") else { continue }
      defer { fclose(file) }
      fseek(file, 0, SEEK_END)
      let size = ftell(file)
      if Bool.random() {
        ftruncate(fileno(file), size * 2 / 3)
      } else {
        for _ in 0..<8 {
          fseek(file, Int.random(in: 0..<size), SEEK_SET)
          fputc(Int32.random(in: 0...255), file)
        }
      }
    }
  }

  func send(_ signal: Int32, to index: Int) { servers.processes.send(signal, to: index) }

  /// Ends a server there and then.
  func kill(_ index: Int) { send(SIGKILL, to: index) }

  func end() {
    for index in ports.indices { kill(index) }
    for proxy in proxies.joined() { proxy.end() }
  }

  /// Asks another server to have the log go on without a server, and returns what it says.
  func removePeer(_ index: Int) throws -> String {
    try ask((index + 1) % 3, "STREAM.PEER.REMOVE.gatehouse-gatehouse", #"{"peer":"n\#(index)"}"#)
  }

  /// Asks another server to have all logs go on without a server, and returns what it says. The others take it back after five minutes.
  func removeServer(_ index: Int) throws -> String {
    try ask(
      (index + 1) % 3, "SERVER.REMOVE", #"{"peer":"n\#(index)"}"#,
      as: #","user":"operator","pass":"operator""#)
  }

  /// Waits until each stream has three servers that have everything.
  func waitUntilTripled() {
    let wanted = /"replicas":\s*\[\s*\{[^}]*"current":\s*true[^}]*\},\s*\{[^}]*"current":\s*true/
    for _ in 0..<1_000 {
      let answer = try? ask(0, "STREAM.INFO.gatehouse-gatehouse", "")
      if answer?.contains(wanted) == true { return }
      usleep(500_000)
    }
  }

  /// Removes a stream, which only an operator does.
  func removeStream(_ name: String) throws -> String { try ask(0, "STREAM.DELETE.\(name)", "") }

  /// Sends a request of an operator to a server, and returns the text of the answer.
  private func ask(
    _ index: Int, _ request: String, _ content: String, as user: String = ""
  ) throws -> String {
    let lines = [
      #"CONNECT {"verbose":false,"pedantic":false\#(user)}"#, "SUB answer 1",
      "PUB $JS.API.\(request) answer \(content.utf8.count)", content, "",
    ]
    let connection = try LocalPort(ports[index], seconds: 10).send(lines.joined(separator: "\r\n"))
    defer { close(connection) }
    var answer = ""
    var piece = [UInt8](repeating: 0, count: 1 << 12)
    while !answer.contains("\"type\":") || !answer.hasSuffix("\r\n") {
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { break }
      answer += String(decoding: piece[..<count], as: UTF8.self)
    }
    return answer
  }
}
