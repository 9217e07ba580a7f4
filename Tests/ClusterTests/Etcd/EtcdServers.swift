import GatehouseTestSupport
import Glibc

@testable import GatehouseCluster

/// Servers of etcd on this machine, which know each other.
final class EtcdServers: LogServers {
  let processes: ServerProcesses
  let count: Int
  private let addresses: [ServerAddress]

  static let program = Machine.variable("GATEHOUSE_ETCD") ?? Machine.program("etcd")

  /// Starts so many servers. They can be reached when ``waitUntilReady(_:withAll:)`` returns.
  init(_ count: Int) throws {
    self.count = count
    let ports = try FreePorts.take(2 * count)
    addresses = try ports[..<count].map { try FreePorts.address($0) }
    let peers = ports[count...].map { "http://127.0.0.1:\($0)" }
    let cluster = peers.enumerated().map { "e\($0.offset)=\($0.element)" }.joined(separator: ",")
    let clients = addresses
    processes = ServerProcesses(
      EtcdServers.program ?? "etcd",
      (0..<count).map { index in
        [
          "--name", "e\(index)", "--data-dir", "FOLDER/d\(index)", "--listen-peer-urls",
          peers[index],
          "--initial-advertise-peer-urls", peers[index], "--listen-client-urls",
          "http://\(clients[index])",
          "--advertise-client-urls", "http://\(clients[index])", "--initial-cluster", cluster,
          "--initial-cluster-token", "test",
        ]
      })
    for index in 0..<count { try processes.start(index) }
  }

  var options: EtcdOptions {
    get throws {
      guard let name = LogName("test") else { throw ServerFailure(text: "LogName", code: 0) }
      return EtcdOptions(addresses: addresses, name: name)
    }
  }

  func makeLog() throws -> any ReplicatedLog { EtcdLog(try options) }
}
