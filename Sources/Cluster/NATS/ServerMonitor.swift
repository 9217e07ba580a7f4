internal import GatehouseBSON
internal import GatehouseOutbound

/// Asks NATS servers, at their monitoring addresses, for the settings that they tell nowhere else.
struct ServerMonitor {
  private let addresses: [ServerAddress]
  private let client: WaitingClient

  init(_ addresses: [ServerAddress], _ client: WaitingClient) {
    (self.addresses, self.client) = (addresses, client)
  }

  /// Returns the defects of the first server that has one. A server that does not answer does not tell; where most do, the others may
  /// be gone.
  func defects() -> [LogDefect] {
    var silent = 0
    for address in addresses {
      switch defects(of: address) {
      case nil: silent += 1
      case []?: break
      case let defects?: return defects
      }
    }
    return silent * 2 < addresses.count ? [] : [.syncUnknown]
  }

  /// Nil: it does not answer.
  private func defects(of address: ServerAddress) -> [LogDefect]? {
    var request = ClientRequest("GET", "http://\(address)/varz")
    request.timeout = .seconds(2)
    request.connectTimeout = .seconds(1)
    guard case .success(let response) = client.send(request), response.status == 200 else { return nil }
    return ServerMonitor.defects(varz: response.content)
  }

  /// Reads the answer of `/varz`.
  static func defects(varz json: [UInt8]) -> [LogDefect] {
    guard let server = (try? Value(json: json, as: .plain))?.document,
      let config = server["jetstream"]?.document?["config"]?.document
    else { return [.syncUnknown] }
    var defects: [LogDefect] = []
    if let version = server["version"]?.text, let defect = ServerVersion.defect(version) {
      defects.append(defect)
    }
    if config["sync_always"] != .bool(true) {
      let interval = config["sync_interval"]?.number.map { "\(Duration.nanoseconds($0))" }
      defects.append(.syncInterval(interval ?? "unknown"))
    }
    return defects
  }
}
