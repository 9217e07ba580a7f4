import GatehouseAccess
import GatehouseAudit
public import GatehouseBSON
import GatehouseFeeds
public import GatehouseFunctions
public import GatehouseHTTP
import GatehouseScheduling
import GatehouseSharing
public import GatehouseStorage

/// Answers the requests of one event loop from a store.
///
/// `@unchecked Sendable`. Because each event loop makes a gateway of its own and calls it on that loop only, the
/// reader is never used by two threads.
public final class Gateway: Handler, @unchecked Sendable {
  let router: Router
  /// Takes lines of the log about failures; nil: nobody does.
  let report: (@Sendable ([UInt8]) -> Void)?
  let limits: RequestLimits
  /// The web site beside the API; nil: there is none.
  let site: HostedSite?
  /// Whether contents are compressed for clients that ask for it.
  let compresses: Bool
  /// Whether entity tags are told from those of another database that had its name before.
  let marksEntityTags: Bool
  /// The cluster that the server is a node of; nil: it is alone.
  let cluster: ClusterAccess?
  /// The transactions of functions that run at other nodes.
  let transactions: ForwardedTransactions
  /// The queue on which large contents are compressed.
  let compression: any Lane
  /// Everything that endpoints work with.
  let context: Context
  /// The objects of the database that has the keys, roles and users.
  let accounts: DataAccess
  /// The callers that this loop knows.
  var callers: Callers
  /// The gateways of the groups of classes that are in databases of their own; nil: there are none.
  let groups: GroupGateways?
  /// The users who show their credential with each request to this loop.
  var headerLogins = HeaderLogins()

  /// Makes a gateway for one event loop, with a reader of its own, which keeps a snapshot of the file until
  /// ``rest()``.
  public convenience init(
    store: Store, options: GatewayOptions = GatewayOptions()
  ) throws(StorageError) {
    try self.init(store, options, within: nil, at: nil)
  }

  /// - Parameters:
  ///   - main: The gateway of the database that has the keys, roles and users, where another one has the objects.
  ///   - place: The group of classes that the store has; nil: there is one store.
  init(
    _ store: Store, _ options: GatewayOptions, within main: Context?, at place: GroupPlace?
  ) throws(StorageError) {
    router = main == nil ? .all : .ofGroups
    report = options.report
    limits = options.limits
    site = options.site
    (compresses, marksEntityTags) = (options.compresses, options.marksEntityTags)
    (cluster, transactions) = (options.cluster, options.transactions)
    compression = store.scheduler.makeLane("gatehouse.compress", priority: .utility)
    let ownPlace =
      options.groups.isEmpty
      ? place : GroupPlace(groups: ClassGroups(Set(options.groups.map(\.group))), name: ClassGroups.main)
    context = try Context(store, options, within: main, at: ownPlace)
    accounts = main?.data ?? context.data
    callers = Callers(context.access, context.users.users)
    groups = try GroupGateways(options, within: context)
    precondition(main == nil || groups == nil, "a group of classes has none in it")
    if let main {
      // Functions ask for the classes of all groups.
      context.functions.respond = { [weak functions = main.functions] request, requester in
        guard let functions else { return Problem(APIError.stopping).response(to: request) }
        return await functions.respond(request, requester)
      }
    } else {
      context.functions.respond = { [weak self] request, requester in
        guard let self else { return Problem(APIError.stopping).response(to: request) }
        if let groups = self.groups { return await self.dispatch(request, as: requester, among: groups) }
        return await self.respond(to: request, as: requester)
      }
    }
    context.data.callsInOtherGroups = { [weak self] call in
      guard let self else { throw APIError.stopping }
      return try self.groups?.callsInOtherGroups(call) ?? []
    }
    for gateway in groups?.all ?? [] {
      guard let place = gateway.context.data.place, place.shard != nil else { continue }
      gateway.context.data.callsInShards = { [weak self] call in
        guard let self else { throw APIError.stopping }
        return try await self.groups?.calls(call, inShardsOf: place.name) ?? []
      }
    }
    context.events.open = { [weak self] target, position, call in
      guard let self else { throw APIError.stopping }
      return try await self.open(target, after: position, for: call)
    }
  }

  /// The policies that requests are held against.
  var policies: RequestPolicies { context.data.policies.current }

  /// The functions that can be called.
  public var functions: FunctionHost { context.functions.host }

  /// Calls a function as the gateway itself. May be called from any thread once the gateway has been started.
  public func call(_ invocation: Invocation) async throws(FunctionError) -> Value {
    try await context.functions.callAsSystem(invocation)
  }

  public func start(on loop: any Loop) {
    context.start(on: loop)
    for gateway in groups?.all ?? [] { gateway.start(on: loop) }
  }

  public func rest() {
    context.data.reader.release()
    for gateway in groups?.all ?? [] { gateway.rest() }
  }

  public func tick() {
    context.events.loopBroker?.tick()
    context.events.broker.visibleLog.expire()
    context.access.tickets.expire()
    // Streams have no request that would ask for it.
    try? context.access.catchUp()
    transactions.expire()
    context.audit.recorder?.expireScopes()
    for gateway in groups?.all ?? [] { gateway.tick() }
  }

  public func drain() {
    context.events.loopBroker?.drain()
    for gateway in groups?.all ?? [] { gateway.drain() }
  }
}
