import GatehouseBSON
import GatehouseHTTP

extension Response {
  /// An answer to a client of App Services: canonical Extended JSON, whose numbers have types that it relies on,
  /// under a media type without parameters, which it compares as text (realm-core, `check_for_errors`).
  init(appServices status: Status, _ value: Value) {
    self.init(status: status, body: .bytes(value.extendedJSON))
    fields.append("content-type", "application/json")
  }
  /// Makes an answer with tokens or secrets in it, or of which clients must not use an old one.
  init(privateAppServices status: Status, _ value: Value) {
    self.init(appServices: status, value)
    fields.append("cache-control", "no-store")
  }
}
