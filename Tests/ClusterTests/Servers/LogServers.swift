import GatehouseTestSupport
import Glibc

@testable import GatehouseCluster

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
