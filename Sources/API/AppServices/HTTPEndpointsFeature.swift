import GatehouseHTTP

extension Feature {
  /// The app's HTTPS endpoints.
  static let httpEndpoints = Feature(endpoints: [
    .getEndpoint, .postEndpoint, .putEndpoint, .patchEndpoint, .deleteEndpoint,
  ])
}

extension Endpoint {
  static let getEndpoint = answering("getEndpoint", .get)
  static let postEndpoint = answering("postEndpoint", .post)
  static let putEndpoint = answering("putEndpoint", .put)
  static let patchEndpoint = answering("patchEndpoint", .patch)
  static let deleteEndpoint = answering("deleteEndpoint", .delete)

  private static func answering(_ name: String, _ method: Method) -> Endpoint {
    Endpoint(
      name, .any(method, "/app/{app}/endpoint/{route}"), requires: .nothing, records: .functionCalls,
      using: \.users
    ) { call, users in try await EndpointRequest(call, users).answer() }
  }
}
