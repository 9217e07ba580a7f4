import GatehouseTelemetry

/// The state of the server, for whoever runs it.
struct ServerStatus: Sendable {
  let data: DataAccess
  let readiness: Readiness
  /// The instruments that `/metrics` shows.
  let metrics: Registry
}
