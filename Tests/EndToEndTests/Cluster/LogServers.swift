import GatehouseTestSupport
import Glibc

/// Three NATS servers that keep a log, in a folder of theirs.
final class LogServers {
  /// The setting by which a node finds them.
  let setting: String
  private let folder: Folder
  private var configurations: [String] = []
  private var processes: [Int: ChildProcess] = [:]

  init() throws {
    folder = try Folder()
    let ports = Machine.freePorts(9)
    guard ports.count == 9 else { throw SystemError(call: "bind", code: errno) }
    let routes = ports[6...].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    let hosts = ports[..<3].map { "127.0.0.1:\($0)" }.joined(separator: ",")
    setting = "nats://\(hosts)?monitor=\(ports[3])"
    for index in 0..<3 {
      let configuration = try folder.write(
        """
        server_name: n\(index)
        listen: "127.0.0.1:\(ports[index])"
        http: "127.0.0.1:\(ports[3 + index])"
        jetstream { store_dir: "\(folder.path)/d\(index)", sync_interval: always, max_file_store: 10GB }
        cluster { name: c, listen: "127.0.0.1:\(ports[6 + index])", routes: [\(routes)] }
        """, to: "n\(index).conf")
      configurations.append(configuration)
      try start(index)
    }
  }

  /// Starts a server, for the first time or again.
  func start(_ index: Int) throws {
    let log = folder.file("n\(index).log")
    processes[index] = try ChildProcess(
      Machine.natsServer ?? "nats-server", ["-c", configurations[index]], environment: [Machine.path],
      workingDirectory: folder.path, streams: [.read("/dev/null"), .write(log), .write("\(log).errors")])
  }

  func send(_ signal: Int32, to index: Int) { processes[index]?.send(signal) }

  /// Ends a server there and then.
  func kill(_ index: Int) {
    send(SIGKILL, to: index)
    processes[index]?.wait()
  }
}
