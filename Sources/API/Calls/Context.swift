import GatehouseAccess
import GatehouseAudit
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseQuery
import GatehouseStorage
import GatehouseTelemetry

/// Everything that the endpoints of one event loop work with. The request itself is a ``Call``.
///
/// `@unchecked Sendable`. Because the gateway that owns it, and the endpoints, use it on their loop only; what other
/// threads get of it is `Sendable` by itself.
final class Context: @unchecked Sendable {
  let store: Store
  /// The loop's own reader.
  let reader: Reader
  /// The plans of the queries seen last on this loop.
  var plans = PlanCache()
  /// Decodes the large contents of this loop's requests.
  let decoding = DecodingThread()
  let limits: RequestLimits
  let conditionalWrites: ConditionalWrites
  let access: AccessControl
  /// Nil: nobody can log in.
  let users: Users?
  let broker: EventBroker
  /// Records who reads and writes what; nil: nothing is recorded.
  let recorder: Recorder?
  let auditDetails: [AuditDetail]
  /// The functions that can be called.
  let functions: FunctionHost
  let readiness: Readiness
  let metrics: Registry

  /// Answers a request that a function makes; the gateway sets it.
  var respond: @Sendable (Request, Principal) async -> Response = { request, _ in
    Problem(APIError.stopping).response(to: request)
  }

  /// Runs the loop's tasks; nil before the loop is known.
  private(set) weak var executor: (any TaskExecutor)?
  /// The loop's event streams; nil before the loop is known.
  private(set) var loopBroker: LoopBroker?
  /// The loop's time in nanoseconds.
  private(set) var clock: @Sendable () -> UInt64 = { 0 }

  init(_ store: Store, _ options: GatewayOptions) throws(StorageError) {
    self.store = store
    limits = options.limits
    conditionalWrites = options.conditionalWrites
    access = if let access = options.access { access } else { try AccessControl(store) }
    users = options.users
    recorder = options.recorder
    auditDetails = options.auditDetails
    functions = options.functions ?? FunctionHost()
    readiness = options.readiness
    metrics = options.metrics
    reader = try store.makeReader(sharesSnapshots: true)
    broker = if let broker = options.broker { broker } else { try EventBroker(store) }
  }

  /// Returns the users. Throws ``UserError/unknownProvider`` where nobody can log in.
  func requireUsers() throws(UserError) -> Users {
    guard let users else { throw .unknownProvider }
    return users
  }

  /// Begins to work on a loop. Called once.
  func start(on loop: any Loop) {
    executor = loop as? any TaskExecutor
    loopBroker = LoopBroker(
      broker, shard: loop.index, clock: { [weak loop] in loop?.now.nanoseconds ?? 0 },
      schedule: { [weak loop] body in loop?.later(body) })
    clock = { [weak loop] in loop?.now.nanoseconds ?? 0 }
    let end: Revocations.Observer = { [weak loopBroker] owner, reason in
      loopBroker?.perform { [weak loopBroker] in loopBroker?.end(owner, reason) }
    }
    access.revocations.observe(end)
    users?.revocations.observe(end)
  }
}
