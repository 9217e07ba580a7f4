import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry

extension Feature {
  /// Questions of whoever runs a server.
  static let operations = Feature(endpoints: [.liveness, .readiness, .contract, .metrics])
}

extension Endpoint {
  static let liveness = Endpoint("liveness", .get("/livez"), requires: .nothing) { _, _ in
    Response(text: "live")
  }

  static let readiness = Endpoint("readiness", .get("/readyz"), requires: .nothing) { _, context in
    if context.readiness.isStopping { throw APIError.stopping }
    if let failure = context.store.failure { throw failure }
    _ = try context.reader.counts()
    return Response(text: "ready")
  }

  /// The OpenAPI document. Media type: RFC 9512.
  static let contract = Endpoint("contract", .get("/openapi.yaml"), requires: .someRole) { _, _ in
    var response = Response(status: .ok, body: .bytes(PackageResources.openapi_yaml))
    response.fields.append("content-type", "application/yaml")
    return response
  }

  /// The instruments of the process.
  static let metrics = Endpoint("metrics", .get("/metrics"), requires: .administration) { _, context in
    var response = Response(status: .ok, body: .bytes(context.metrics.render()))
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
