import GatehouseTelemetry

/// The state of the server, for whoever runs it.
struct ServerStatus: Sendable {
  let data: DataAccess
  let readiness: Readiness
  /// The instruments that `/metrics` shows.
  let metrics: Registry
  /// Work on the store that an administrator may begin.
  let maintenance: Maintenance
  /// The cluster that the server is a node of; nil: it is alone.
  let cluster: ClusterAccess?
  /// The databases beside this one; nil: there are none.
  let apps: AppAdministration?
  /// The settings in force.
  let settings: @Sendable () -> [SettingInForce]
}
