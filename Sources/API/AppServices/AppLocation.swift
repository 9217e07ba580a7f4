import GatehouseBSON
import GatehouseHTTP

extension Endpoint {
  /// Tells a client the URLs of the server, as the client knows it.
  static let appLocation = Endpoint(
    "appLocation", .get("\(appServicesPath)/app/{app}/location"), requires: .nothing
  ) { call in
    let (http, webSocket) = call.request.isSecure ? ("https", "wss") : ("http", "ws")
    let authority = call.request.fields["host"] ?? "localhost"
    return Response(
      privateAppServices: .ok,
      .document([
        "deployment_model": .string("LOCAL"), "location": .string("US-VA"),
        "hostname": .string("\(http)://\(authority)"),
        "ws_hostname": .string("\(webSocket)://\(authority)"),
      ]))
  }
}
