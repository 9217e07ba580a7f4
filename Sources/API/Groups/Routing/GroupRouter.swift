import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage

/// Finds the group that a request is about.
struct GroupRouter {
  let main: Gateway
  let groups: GroupGateways
  /// The function that asks; nil: a client does.
  let requester: FunctionRequester?
  /// Counts the content that is read.
  let memory: SharedBudget.Reservation

  /// Throws ``GroupError/notFound`` and ``GroupError/several``, ``FunctionTransactionError/severalGroups``, and what authenticating its
  /// sender, or receiving its content, throws.
  func route(of request: Request) async throws -> GroupRoute {
    if requester == nil || request.isForwarded, let (route, name) = try explicitRoute(of: request) {
      try requester?.transaction?.bind(to: name)
      return route
    }
    var request = request
    guard !request.isAboutServer, let segments = try? request.target.segments(),
      case .endpoint(let endpoint, let captures)? = try? main.router.match(request.method, segments)
    else { return GroupRoute(to: main, request) }
    if endpoint === Endpoint.runDataAction, captures.last == "commitTransaction",
      let transaction = requester?.transaction
    {
      return route(to: transaction.group, request)
    }
    if endpoint === Endpoint.addSubscriptions || endpoint === Endpoint.removeSubscription {
      let owner = groups.all.first { $0.context.events.broker.multiplexes.hasStream(captures[0]) }
      return route(to: owner?.context.data.place?.name, request)
    }
    let classes: [String]
    if endpoint.namesClassesInContent {
      try await authenticate(request, for: endpoint)
      let content = try await content(of: &request)?.content.value
      if endpoint === Endpoint.applySchema, let content {
        return try self.route(ofSchema: content, request)
      }
      classes = try content.map { try endpoint.namedClasses(in: $0) } ?? []
    } else if endpoint === Endpoint.openStreamByTicket {
      classes = try self.classes(ofTicketIn: request)
    } else {
      classes = try endpoint.namedClasses(in: request, captures)
    }
    let group = try groups.groups.commonGroup(of: classes)
    let shards = group.map(groups.shards) ?? []
    if let group, !shards.isEmpty {
      let router = ShardRouter(shards, for: endpoint, captures)
      var content: (content: Content, size: Int)?
      if endpoint.namesClassesInContent || router.dividesContent {
        try await authenticate(request, for: endpoint)
        content = try await self.content(of: &request, to: router)
      }
      let target = try await onThread(for: request, size: content?.size) { [request, content] in
        try router.target(of: request, content?.content)
      }
      switch target {
      case .parts(let write): try memory.grow(to: (content?.size ?? 0) + write.contentSize)
      // It is sent to shards in parts, and may be so twice.
      case .command: try memory.grow(to: (content?.size ?? 0) * 2)
      case .one, .merged, .each: break
      }
      return try shardRoute(in: group, target, request)
    }
    if !classes.isEmpty { try requester?.transaction?.bind(to: group ?? ClassGroups.main) }
    return route(to: group, request)
  }

  private func route(to group: String?, _ request: Request) -> GroupRoute {
    guard let group, let gateway = groups[group] else { return GroupRoute(to: main, request) }
    return GroupRoute(to: gateway, request, group: group)
  }

  /// Returns the route to what of a group's shards is asked.
  private func shardRoute(in group: String, _ target: ShardRouter.Target, _ request: Request) throws
    -> GroupRoute
  {
    switch target {
    case .one(let shard):
      try requester?.transaction?.bind(to: "\(group)/\(shard)")
      return route(to: "\(group)/\(shard)", request)
    case .merged:
      // Each shard has its own versions: none of a transaction, and none that several would have come to.
      let fields = ["read-consistency", "if-version-at-least", "audit-scope"]
      let moment = request.target.value(of: "at")
      if requester?.transaction != nil || requester != nil && moment != nil
        || fields.contains(where: { request.fields.contains($0) })
      {
        throw GroupError.severalShards
      }
      var route = route(to: "\(group)/0", request)
      route.shards = .merged
      return route
    case .each(let shards):
      var route = route(to: "\(group)/0", request)
      route.shards = .each(shards)
      return route
    case .parts(let write): return try dividedRoute(in: group, .parts(write), request)
    case .command(let command): return try dividedRoute(in: group, .command(command), request)
    }
  }

  /// Throws ``GroupError/severalShards`` where a function's transaction asks: each shard has transactions of its own.
  private func dividedRoute(
    in group: String, _ shards: GroupRoute.Shards, _ request: Request
  ) throws(GroupError) -> GroupRoute {
    guard requester?.transaction == nil else { throw .severalShards }
    var route = route(to: "\(group)/0", request)
    route.shards = shards
    return route
  }

  /// Returns the route of a request whose path names a group, and the name: `/v1/groups/archive/changes` is `/v1/changes` of that group.
  /// Nodes name it to each other before commands of App Services, too: what was divided among shards is not divided once more.
  private func explicitRoute(
    of request: Request
  ) throws(GroupError) -> (route: GroupRoute, name: String)? {
    let path = request.target.path
    guard path.hasPrefix(ClassGroups.path) else { return nil }
    let rest = path.dropFirst(ClassGroups.path.utf8.count)
    guard var slash = rest.firstIndex(of: "/") else { return nil }
    var name = (try? Target(path: "/\(rest[..<slash])", query: nil).segments().first) ?? ""
    if !groups.shards(of: name).isEmpty {
      // The number of the shard comes next.
      let end = rest[slash...].dropFirst().firstIndex(of: "/") ?? rest.endIndex
      guard Int(rest[slash..<end].dropFirst()) != nil, end < rest.endIndex else { throw .severalShards }
      name += String(rest[slash..<end])
      slash = end
    }
    let gateway = name == ClassGroups.main ? main : groups[name]
    guard let gateway else { throw .notFound }
    var request = request
    let inner = String(rest[slash...])
    let isCommand = request.isForwarded && (inner.hasPrefix("/app/") || inner.hasPrefix("/api/"))
    request.target = Target(
      path: inner == "/metrics" || isCommand ? inner : "/v1\(inner)", query: request.target.query)
    return (GroupRoute(to: gateway, request, group: name, isExplicit: true), name)
  }

  /// Has nobody's content be read who may not use the endpoint. A node waits until it has read of the credential, as for other requests.
  private func authenticate(_ request: Request, for endpoint: Endpoint) async throws {
    guard requester == nil, main.headerCredential(of: request) == nil else { return }
    try main.admit(request)
    var failure = failure(toAuthenticate: request, for: endpoint)
    if main.mayHaveUnreadAccounts(for: request) {
      failure = await main.accounts.repeated(failure) {
        if case APIError.unauthorized? = $0 { true } else { false }
      } by: {
        self.failure(toAuthenticate: request, for: endpoint)
      }
    }
    if let failure { throw failure }
  }

  private func failure(toAuthenticate request: Request, for endpoint: Endpoint) -> (any Error)? {
    do {
      _ = try main.callers.principal(of: request, for: endpoint, main.context.data.accounts)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the content, which is whole in the request from then on; nil: it is none that anybody can read.
  ///
  /// - Parameter router: The one that knows the class of the rows of a table; nil: a table is nothing that anybody can read.
  private func content(
    of request: inout Request, to router: ShardRouter? = nil
  ) async throws -> (content: Content, size: Int)? {
    let bytes = try await request.body.collect(limit: main.limits.contentSize) { try memory.grow(to: $0) }
    request.body = bytes.isEmpty ? .empty : .bytes(bytes)
    guard let type = request.fields["content-type"].flatMap(ContentType.init) else { return nil }
    let count = type == .csv ? ValueCount(ofCellsIn: bytes) : ValueCount(of: bytes, isBSON: type == .bson)
    let size = bytes.count + count.memory
    try memory.grow(to: size)
    let content = try await onThread(for: request, size: size) {
      try? router?.content(bytes, as: type) ?? Content(bytes, as: type)
    }
    return content.map { ($0, size) }
  }

  /// Works on a large content on a thread of the store's, so that other clients of the loop do not wait.
  private func onThread<Answer: Sendable>(
    for request: Request, size: Int?, _ body: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    guard let size, size > IncomingContent.large else { return try body() }
    return try await main.context.data.store.read(for: Caller(address: request.peer.client)) { _ in try body()
    }
  }

  /// Returns the classes of the subscriptions for which a ticket stands.
  private func classes(ofTicketIn request: Request) throws -> [String] {
    guard let text = try? request.target.parameters().first(where: { $0.name == "ticket" })?.value,
      let content = main.context.access.tickets.content(of: text), let value = try? Value(json: content)
    else { return [] }
    return try NamedClasses.ofSubscriptions(value)
  }

  /// Returns the route of a schema: to the one group whose classes it changes. Throws ``GroupError/several`` where there are more.
  private func route(ofSchema content: Value, _ request: Request) throws(GroupError) -> GroupRoute {
    let parts = GroupedSchema(content, groups.groups)
    let changed = Set(
      ([main] + groups.all).compactMap { gateway in
        let name = gateway.context.data.place?.name ?? ClassGroups.main
        return parts.changes(gateway.context.data.reader.schemaState.0, ofGroup: name) ? name : nil
      })
    guard changed.count <= 1 else { throw .several }
    let name = changed.first ?? ClassGroups.main
    var request = request
    let bytes = Value.array(parts[name]).extendedJSON
    request.body = .bytes(bytes)
    request.fields.replace("content-type", ContentType.json.name)
    request.fields.replace("content-length", String(bytes.count))
    let shards = groups.shards(of: name)
    var route = route(to: shards.isEmpty ? name : "\(name)/0", request)
    if !shards.isEmpty { route.shards = .each(shards) }
    route.schema = parts.schema
    return route
  }
}
