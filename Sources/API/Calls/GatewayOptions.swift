public import GatehouseAudit
public import GatehouseFeeds
public import GatehouseFunctions
public import GatehouseHTTP
public import GatehouseSharing
public import GatehouseStorage
public import GatehouseTelemetry

/// The parts of a gateway beside its store. One that is nil here, a gateway makes for itself or does without.
public struct GatewayOptions: Sendable {
  public var limits = RequestLimits()
  public var conditionalWrites = ConditionalWrites.optional
  /// When writes are on the disk that do not say it themselves.
  public var durability = Durability.full
  /// Whether the first objects that an administrator sends to a class that is not there make it.
  public var infersClasses = false
  /// The hosts that requests may be addressed to, but for those from Unix-domain sockets, which no web page reaches.
  public var hosts = HostPolicy(.any)
  /// The web pages that may read responses; nil: none of another origin.
  public var cors: CORSPolicy?
  /// Shared by all gateways of a server.
  public var readiness = Readiness()
  /// The instruments that `/metrics` shows.
  public var metrics = Registry()
  /// Tells subscribers of commits, one for all loops; nil: one of the gateway's own.
  public var broker: EventBroker?
  /// The functions that can be called, one for all loops; nil: none.
  public var functions: FunctionHost?
  /// Decides who may use the gateway, one for all loops; nil: as the store says, without a key of the operator's.
  public var access: AccessControl?
  /// Limits how many requests a caller may make, one for all loops; nil: any number.
  public var rates: RateLimiter?
  /// The users who may log in, one for all loops; nil: nobody.
  public var users: Users?
  /// Records who reads and writes what, one for all loops; nil: nothing is recorded.
  public var recorder: Recorder?
  /// The facts about requests themselves that are recorded with every event.
  public var auditDetails: [AuditDetail] = []
  /// Takes lines of the log, JSON objects that end in line feeds, about what failed and why; nil: nobody does.
  public var report: (@Sendable ([UInt8]) -> Void)?
  /// Writes of queries that take long; nil: nobody does.
  public var slowQueries: SlowQueryLog?

  public init() {}
}
