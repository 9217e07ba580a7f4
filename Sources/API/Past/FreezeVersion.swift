import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage

extension Endpoint {
  /// Realm's `freeze()`, over HTTP: the version of now, for reads with the parameter `at`. A method that browsers ask about
  /// first, since there is no content.
  static let freezeVersion = Endpoint(
    "freezeVersion", .put("/v1/freeze", reads: []), answers: MediaType.forOne, requires: .someRole,
    using: \.data
  ) { call, data in
    let (version, seconds) = try data.store.freeze(for: call.caller)
    let content: Document = ["version": .int64(version), "seconds": .int64(seconds)]
    var response = Response(
      status: .ok, content: call.mediaType.bytes(of: .document(content)), call.mediaType)
    response.fields.append(realmVersion: version)
    response.fields.append("cache-control", "no-store")
    return response
  }
}
