import GatehouseTestSupport

@testable import GatehouseCluster

extension NATSServers: LogServers {
  /// Starts so many servers. They can be reached when ``waitUntilReady(_:withAll:)`` returns.
  convenience init(_ count: Int, settings: String = "", sync: String = "always") throws {
    try self.init(count: count, settings: settings, sync: sync)
    for index in 0..<count { try processes.start(index) }
  }

  /// The options of a log on these servers.
  var options: NATSOptions {
    get throws {
      guard let name = LogName("test") else { throw ServerFailure(text: "LogName", code: 0) }
      var options = NATSOptions(addresses: try ports.map(FreePorts.address), name: name)
      options.monitoring = try monitors.map(FreePorts.address)
      options.replicas = min(3, count)
      options.logSize = 256 << 20
      return options
    }
  }

  func makeLog() throws -> any ReplicatedLog { NATSLog(try options) }
}
