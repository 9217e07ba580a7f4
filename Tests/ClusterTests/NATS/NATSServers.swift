import GatehouseTestSupport

@testable import GatehouseCluster

/// Servers of NATS JetStream on this machine, which know each other.
final class NATSServers: LogServers {
  let processes: ServerProcesses
  let count: Int
  private let addresses: [ServerAddress]
  private let monitoring: [ServerAddress]

  static let program = Machine.natsServer

  /// Starts so many servers. They can be reached when ``waitUntilReady(_:withAll:)`` returns.
  ///
  /// - Parameter settings: Lines of each server's configuration beside those that make it one of the cluster.
  init(_ count: Int, settings: String = "", sync: String = "always") throws {
    self.count = count
    let ports = try FreePorts.take(3 * count)
    addresses = try ports[..<count].map { try FreePorts.address($0) }
    monitoring = try ports[count..<(2 * count)].map { try FreePorts.address($0) }
    processes = ServerProcesses(
      NATSServers.program ?? "nats-server", (0..<count).map { ["-c", "FOLDER/n\($0).conf"] })
    let routes = ports[(2 * count)...].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    for index in 0..<count {
      let cluster =
        "cluster { name: c, listen: \"127.0.0.1:\(ports[2 * count + index])\", routes: [\(routes)] }"
      let text = """
        server_name: n\(index)
        listen: "\(addresses[index])"
        http: "\(monitoring[index])"
        jetstream { store_dir: "\(processes.folder)/d\(index)", sync_interval: \(sync), max_file_store: 2GB }
        \(count == 1 ? "" : cluster)
        \(settings)
        """
      try processes.write(text, to: "n\(index).conf")
      try processes.start(index)
    }
  }

  /// The options of a log on these servers.
  var options: NATSOptions {
    get throws {
      guard let name = LogName("test") else { throw ServerFailure(text: "LogName", code: 0) }
      var options = NATSOptions(addresses: addresses, name: name)
      options.monitoring = monitoring
      options.replicas = min(3, count)
      options.logSize = 256 << 20
      return options
    }
  }

  func makeLog() throws -> any ReplicatedLog { NATSLog(try options) }
}
