import Glibc

/// Servers of NATS JetStream on this machine, which know each other. Each is started by ``processes``.
public final class NATSServers {
  public let processes: ServerProcesses
  /// The ports at which clients find them.
  public let ports: [UInt16]
  /// The ports at which they tell of themselves.
  public let monitors: [UInt16]

  public static let program = Machine.natsServer

  public var count: Int { ports.count }

  /// The folders in which they keep what they have.
  public var data: [String] { ports.indices.map { "\(processes.folder)/d\($0)" } }

  /// - Parameters:
  ///   - place: The folder in which theirs is.
  ///   - settings: Lines of each server's configuration beside those that make it one of the cluster.
  ///   - network: Returns the settings by which a server reaches the others, which listen at these ports.
  public init(
    count: Int, in place: String = Machine.scratch, settings: String = "", sync: String = "always",
    network: (_ index: Int, _ ports: [UInt16]) throws -> String = { "routes: [\(NATSServers.routes($1))]" }
  ) throws {
    let free = Machine.freePorts(3 * count)
    guard free.count == 3 * count else { throw SystemError(call: "bind", code: errno) }
    (ports, monitors) = (Array(free[..<count]), Array(free[count..<(2 * count)]))
    processes = ServerProcesses(
      NATSServers.program ?? "nats-server", (0..<count).map { ["-c", "FOLDER/n\($0).conf"] }, in: place)
    let others = Array(free[(2 * count)...])
    for index in 0..<count {
      let cluster =
        "cluster { name: c, listen: \"127.0.0.1:\(others[index])\", \(try network(index, others)) }"
      let text = """
        server_name: n\(index)
        listen: "127.0.0.1:\(ports[index])"
        http: "127.0.0.1:\(monitors[index])"
        jetstream { store_dir: "\(data[index])", sync_interval: \(sync), max_file_store: 10GB }
        \(count == 1 ? "" : cluster)
        \(settings)
        """
      try processes.write(text, to: "n\(index).conf")
    }
  }

  /// The routes to servers at these ports, as a configuration lists them.
  public static func routes(_ ports: [UInt16]) -> String {
    ports.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
  }
}
