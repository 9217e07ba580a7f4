import GatehouseTestSupport
import Glibc

@testable import GatehouseCluster

/// The processes of several servers, and a folder that all have their files in.
final class ServerProcesses {
  let folder: String
  private let program: String
  private let arguments: [[String]]
  private var processes: [ChildProcess?]

  /// - Parameter arguments: Those of each server; `FOLDER` stands for the folder.
  init(_ program: String, _ arguments: [[String]]) {
    self.program = program
    folder = String(
      Machine.run("mktemp -d '\(Machine.scratch)/gatehouse-log-XXXXXX'").output.dropLast())
    self.arguments = arguments
    processes = Array(repeating: nil, count: arguments.count)
  }

  deinit {
    // The processes end first.
    processes = []
    _ = Machine.run("rm -rf '\(folder)'")
  }

  func write(_ text: String, to name: String) throws {
    guard let file = fopen("\(folder)/\(name)", "w") else {
      throw ServerFailure(text: "fopen \(name)", code: errno)
    }
    fputs(text, file)
    fclose(file)
  }

  /// Starts a server that has not been started, or has ended.
  func start(_ index: Int) throws {
    let output = ChildProcess.Stream.append("\(folder)/\(index).log")
    processes[index] = try ChildProcess(
      program, arguments[index].map { $0.replacing("FOLDER", with: folder) }, environment: [Machine.path],
      workingDirectory: folder, streams: [.read("/dev/null"), output, output])
  }

  /// Sends a signal; one that ends the server is waited for. A process that is stopped ends by SIGKILL only.
  func send(_ signal: Int32, to index: Int) {
    processes[index]?.send(signal)
    if signal == SIGKILL || signal == SIGTERM { processes[index]?.wait() }
  }

  /// The last lines of what the servers have written.
  var log: String { Machine.run("tail -n 5 '\(folder)'/*.log").output }
}

/// Servers that keep a log together.
protocol LogServers: AnyObject {
  var processes: ServerProcesses { get }
  var count: Int { get }
  func makeLog() throws -> any ReplicatedLog
}

extension LogServers {
  /// Returns the health of the log when it takes appends; with all its copies, where that is asked for.
  func waitUntilReady(_ log: any ReplicatedLog, withAll: Bool = true) throws -> LogHealth {
    for _ in 0..<600 {
      if let health = try? log.health(), health.hasLeader,
        !withAll || health.currentReplicas == health.replicas, health.replicas == count
      {
        return health
      }
      usleep(100_000)
    }
    throw ServerFailure(text: processes.log, code: 0)
  }
}

/// Ports of this machine that nobody listens at.
enum FreePorts {
  static func take(_ count: Int) throws -> [UInt16] {
    let ports = Machine.freePorts(count)
    guard ports.count == count else { throw ServerFailure(text: "bind", code: 0) }
    return ports
  }

  /// The address of a port of this machine.
  static func address(_ port: UInt16) throws -> ServerAddress {
    guard let address = ServerAddress(hostAndPort: "127.0.0.1:\(port)") else {
      throw ServerFailure(text: "port \(port)", code: 0)
    }
    return address
  }
}

/// Why servers cannot be used, with an `errno` where there is one.
struct ServerFailure: Error {
  let text: String
  let code: Int32
}
