import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry

extension Feature {
  /// Questions of whoever runs a server.
  static let operations = Feature(endpoints: [.liveness, .readiness, .contract, .metrics])
}

extension Endpoint {
  static let liveness = Endpoint("liveness", .get("/livez").answered(by: .asked), requires: .nothing) { _ in
    Response(text: "live")
  }

  static let readiness = Endpoint(
    "readiness", .get("/readyz").answered(by: .asked), requires: .nothing, using: \.server
  ) {
    _, server in
    if server.readiness.isStopping { throw APIError.stopping }
    if let failure = server.data.store.failure { throw failure }
    if let cluster = server.cluster, !cluster.standing().isFresh { throw APIError.outOfDate }
    _ = try server.data.reader.counts()
    return Response(text: "ready")
  }

  /// Whether it is for whoever watches the server, who may ask at any time.
  var isProbe: Bool { self == .liveness || self == .readiness }

  /// The OpenAPI document. Media type: RFC 9512.
  static let contract = Endpoint("contract", .get("/openapi.yaml").answered(by: .asked), requires: .someRole)
  { _ in
    var response = Response(status: .ok, body: .bytes(PackageResources.openapi_yaml))
    response.fields.append("content-type", "application/yaml")
    return response
  }

  /// The instruments of the process.
  static let metrics = Endpoint(
    "metrics", .get("/metrics").answered(by: .asked), requires: .metrics, using: \.server
  ) {
    _, server in
    var response = Response(status: .ok, body: .bytes(server.metrics.render()))
    response.fields.append("content-type", Registry.mediaType)
    response.fields.append("cache-control", "no-store")
    return response
  }
}

extension Response {
  /// A word for probes and people.
  fileprivate init(text: StaticString) {
    self.init(status: .ok, body: .bytes(Array("\(text)\n".utf8)))
    fields.append("content-type", "text/plain; charset=utf-8")
    fields.append("cache-control", "no-store")
  }
}
