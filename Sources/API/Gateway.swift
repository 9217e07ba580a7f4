import Access
public import Audit
import BSON
public import Feeds
public import Functions
public import HTTP
import Query
public import Storage
public import Telemetry

/// Answers the requests of one event loop from a store.
///
/// `@unchecked Sendable`. Because each event loop makes a gateway of its own and calls it on that loop only, the
/// reader is never used by two threads.
public final class Gateway: Handler, @unchecked Sendable {
  /// Bounds on what a request may ask for.
  public struct Limits: Hashable, Sendable {
    /// Bytes of a request's content.
    public var contentSize: Int
    /// Bytes of a stream of lines; each of them has at most ``contentSize``.
    public var streamSize: Int
    /// Objects of a page where the request does not say.
    public var defaultPageSize: Int
    /// The most objects of a page; answers that are streamed have no such bound.
    public var largestPageSize: Int
    /// Bytes of a page, but for its last object, beyond which it ends early and links to the next.
    public var pageBytes = 16 << 20

    public init(
      contentSize: Int = 16 << 20, streamSize: Int = 64 << 30, defaultPageSize: Int = 100,
      largestPageSize: Int = 1000
    ) {
      self.contentSize = contentSize
      self.streamSize = streamSize
      self.defaultPageSize = defaultPageSize
      self.largestPageSize = largestPageSize
    }
  }

  let store: Store
  let reader: Reader
  let broker: EventBroker
  /// What runs the loop's tasks; nil before the loop is known.
  private(set) weak var executor: (any TaskExecutor)?
  /// The loop's event streams; nil before the loop is known.
  private(set) var loopBroker: LoopBroker?
  /// The loop's time in nanoseconds.
  private(set) var clock: @Sendable () -> UInt64 = { 0 }
  let limits: Limits
  let conditionalWrites: ConditionalWrites
  let hosts: HostPolicy
  let cors: CORSPolicy?
  let readiness: Readiness
  let metrics: Registry
  /// What records who reads and writes what; nil: nothing does.
  let recorder: Recorder?
  let auditDetails: [AuditDetail]
  /// Takes lines of the log about failures; nil: nobody does.
  let report: (@Sendable ([UInt8]) -> Void)?
  /// The functions that can be called.
  public let functions: FunctionHost
  let router = Router(Route.table)
  let access: AccessControl
  /// Nil: there are none.
  let users: Users?
  /// Who calls on this loop.
  var callers: Callers
  /// The plans of the queries seen last on this loop.
  var plans = PlanCache()

  /// Makes a gateway for one event loop, with a reader of its own, which keeps a snapshot of the file until ``rest()``.
  ///
  /// - Parameters:
  ///   - hosts: What requests may be addressed to, but for those from Unix-domain sockets, which no web page reaches.
  ///   - broker: What tells subscribers of commits, one for all loops; nil: one of its own.
  ///   - cors: Which web pages may read responses; nil: none of another origin.
  ///   - readiness: Shared by all gateways of a server.
  ///   - access: Who may use it, one for all loops; nil: what the store says, without a key of the operator's.
  ///   - users: Who may log in, one for all loops; nil: nobody.
  ///   - metrics: What `/metrics` tells.
  ///   - recorder: What records who reads and writes what, one for all loops; nil: nothing is recorded.
  ///   - auditDetails: What is recorded of requests themselves.
  ///   - functions: What can be called; one for all event loops.
  ///   - report: Takes lines of the log, JSON objects that end in line feeds, about what failed and why.
  public init(
    store: Store, limits: Limits = Limits(), conditionalWrites: ConditionalWrites = .optional,
    hosts: HostPolicy = HostPolicy(.any), cors: CORSPolicy? = nil,
    readiness: Readiness = Readiness(), metrics: Registry = Registry(), broker: EventBroker? = nil,
    functions: FunctionHost = FunctionHost(), access: AccessControl? = nil, users: Users? = nil,
    recorder: Recorder? = nil, auditDetails: [AuditDetail] = [],
    report: (@Sendable ([UInt8]) -> Void)? = nil
  ) throws(StorageError) {
    let control = if let access { access } else { try AccessControl(store) }
    self.access = control
    callers = Callers(control, users)
    self.users = users
    self.recorder = recorder
    self.auditDetails = auditDetails
    self.report = report
    self.hosts = hosts
    self.cors = cors
    self.readiness = readiness
    self.metrics = metrics
    self.functions = functions
    self.conditionalWrites = conditionalWrites
    self.store = store
    reader = try store.makeReader(sharesSnapshots: true)
    self.limits = limits
    if let broker { self.broker = broker } else { self.broker = try EventBroker(store) }
  }

  public func start(on loop: any Loop) {
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

  public func rest() {
    reader.release()
  }

  public func tick() {
    loopBroker?.tick()
    recorder?.expireScopes()
  }

  public func drain() {
    loopBroker?.drain()
  }
}
