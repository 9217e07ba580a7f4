public import GatehouseAudit
public import GatehouseFeeds
public import GatehouseFunctions
public import GatehouseTelemetry
public import GatehouseTriggers

/// The parts of a gateway beside its store. One that is nil here, a gateway makes for itself or does without.
public struct GatewayOptions: Sendable {
  public var limits = RequestLimits()
  /// The policies that requests are held against, which may change later; one for all loops.
  public var policies = SharedPolicies()
  /// Whether the first objects that an administrator sends to a class that is not there make it.
  public var infersClasses = false
  /// The names by which clients of App Services call the store, their data source; one for all loops.
  public var sources = DataSourceNames()
  /// The web site that is served beside the API; nil: there is none.
  public var site: HostedSite?
  /// Whether contents are compressed for clients that ask for it.
  public var compresses = true
  /// Whether entity tags are told from those of another database that had its name before.
  public var marksEntityTags = false
  /// Shared by all gateways of a server.
  public var readiness = Readiness()
  /// The instruments that `/metrics` shows.
  public var metrics = Registry()
  /// Work on the store that an administrator may begin, one for all loops.
  public var maintenance = Maintenance()
  /// Returns the settings in force.
  public var settings: @Sendable () -> [SettingInForce] = { [] }
  /// Tells subscribers of commits, one for all loops; nil: one of the gateway's own.
  public var broker: EventBroker?
  /// The functions that can be called, one for all loops; nil: none.
  public var functions: FunctionHost?
  /// Decides who may use the gateway, one for all loops; nil: as the store says, without a key of the operator's.
  public var access: AccessControl?
  /// The functions that are called when something happens, one for all loops; nil: there are none.
  public var triggers: TriggerRunner?
  /// The transactions of functions that run at other nodes of a cluster, one for all loops.
  public var transactions = ForwardedTransactions()
  /// The HTTPS endpoints of the app, one for all loops.
  public var endpoints = HTTPEndpoints()
  /// The users who may log in, one for all loops; nil: nobody.
  public var users: Users?
  /// The cluster that the server is a node of; nil: it is alone.
  public var cluster: ClusterAccess?
  /// The groups of classes that are in databases of their own.
  public var groups: [GatewayGroup] = []
  /// Makes and removes the databases beside this one; nil: there are none.
  public var apps: AppAdministration?
  /// Records who reads and writes what, one for all loops; nil: nothing is recorded.
  public var recorder: Recorder?
  /// The facts about requests themselves that are recorded with every event.
  public var auditDetails: [AuditDetail] = []
  /// Takes lines of the log, JSON objects that end in line feeds, about what failed and why; nil: nobody does.
  public var report: (@Sendable ([UInt8]) -> Void)?
  /// Takes the parts of traces that calls of functions are; nil: nobody does.
  public var spans: SpanQueue?

  public init() {}
}
