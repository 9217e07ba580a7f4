import GatehouseAccess
public import GatehouseHTTP
import GatehouseStorage

// The whole way of a request. Each stage takes a value and returns one; any error leaves by the one `catch`.
//
//     Request ─▶ Router ─▶ Endpoint ─▶ Principal ─▶ Permit ─▶ Call ─▶ the endpoint decodes, performs, encodes ─▶ Response
extension Gateway {
  public func respond(to request: Request) async -> Response {
    if let groups { return await dispatch(request, as: nil, among: groups) }
    return await respondByOwnStore(to: request)
  }

  /// Answers by the store of this gateway, here or at another node.
  func respondByOwnStore(to request: Request, in scope: RequestScope = RequestScope()) async -> Response {
    if let cluster { return await respondAsNode(to: request, in: scope, of: cluster) }
    return await respondHere(to: request, in: scope)
  }

  /// Answers by this server's own store.
  func respondHere(to request: Request, in scope: RequestScope) async -> Response {
    guard request.target.hasParameter("ticket") else {
      if let credential = headerCredential(of: request) {
        return await answer(request, loggingInBy: credential, in: scope)
      }
      return await respond(to: request, as: nil, in: scope)
    }
    // A web site has parameters of its own.
    if site != nil, let path = try? request.target.segments(),
      path.isEmpty || (try? router.resource(at: path)) == nil
    {
      return await respond(to: request, as: nil, in: scope)
    }
    // Nothing that is made of the URL has it. Of several none is good.
    var request = request
    let tickets = request.target.removeParameters("ticket")
    return await respond(to: request, as: nil, showing: tickets.count == 1 ? tickets[0] : "", in: scope)
  }

  /// Answers what a function asks while it is called; `requester` nil: what a client does. A `ticket` stands for a
  /// credential.
  func respond(
    to request: Request, as requester: FunctionRequester?, showing ticket: String? = nil,
    in scope: RequestScope = RequestScope()
  ) async -> Response {
    context.data.policies.refresh()
    let mark = requester == nil && marksEntityTags ? EntityTagMark(of: context.data.store) : nil
    var request = request
    mark?.remove(from: &request.fields)
    var progress = Progress(in: scope)
    var response: Response
    do {
      if let ticket {
        var request = request
        try redeem(ticket, for: &request, &progress)
        response = try await lastingAnswer(to: request, as: requester, &progress)
      } else {
        response = try await lastingAnswer(to: request, as: requester, &progress)
      }
    } catch {
      var failure = error
      if policies.rates != nil, requester == nil, progress.caller == nil {
        do throws(APIError) { try count(request, by: nil, &progress) } catch { failure = error }
      }
      response = await respond(to: request, failure: failure, progress)
    }
    logFailure(of: &response.body, request, on: progress.route)
    if requester == nil, compresses { await response.compress(for: request, on: compression) }
    response.route = progress.route
    mark?.add(to: &response.fields)
    policies.cors?.apply(to: &response, for: request)
    return response
  }

  /// Answers for the schema as it is: where that changed meanwhile, the request is decoded anew. Each time somebody
  /// else's change was made, so that this ends.
  private func lastingAnswer(
    to request: Request, as requester: FunctionRequester?, _ progress: inout Progress
  ) async throws -> Response {
    while request.body.isWhole {
      do { return try await answer(to: request, as: requester, &progress) } catch  where error.isSchemaChange
      {}
    }
    return try await answer(to: request, as: requester, &progress)
  }

  private func answer(
    to request: Request, as requester: FunctionRequester?, _ progress: inout Progress
  ) async throws -> Response {
    // Match the route.
    if requester == nil { try admit(request) }
    if request.isAboutServer {
      try count(request, by: nil, &progress)
      return .serverOptions
    }
    let segments = try request.target.segments()
    let found = try? router.resource(at: segments)
    if requester == nil, found == nil || segments.isEmpty,
      let page = try await hostedPage(at: segments, for: request, &progress)
    {
      return page
    }
    guard let resource = found else { throw APIError.routeNotFound }
    progress.route = resource.template
    let match = try resource.match(request.method, consume segments)
    guard case .endpoint(let endpoint, let captures) = match else {
      try count(request, by: nil, &progress)
      return Response(optionsOf: resource)
    }

    // Find out who asks, and what of it is recorded: the class that records are objects of may have to be made first.
    let principal =
      try requester?.principal ?? progress.holder
      ?? callers.principal(of: request, for: endpoint, context.data.accounts)
    progress.caller = principal
    if policies.rates != nil, requester == nil, !endpoint.isProbe {
      try count(request, by: principal, &progress)
    }
    let recording =
      context.audit.isRecorded(request)
      ? try await context.audit.recording(
        of: request, by: principal, asked: requester?.caller ?? principal, on: endpoint) : nil
    let (schema, generation, permit) = knowledge(
      of: principal, isFunction: requester != nil, for: endpoint, in: progress.scope)

    // From here on, everything is typed by the schema.
    let incoming = context.data.incomingContent(of: request, to: endpoint, by: principal)
    defer { incoming?.release() }
    let call = try Call(
      request, to: (endpoint, captures),
      by: Requester(
        principal: principal, permit: permit, recording: recording, transaction: requester?.transaction,
        scope: progress.scope),
      in: (permit?.schema ?? schema, generation), limits: limits, incoming: incoming
    ).ofPast(context.data)
    let claim = try call.idempotencyKey.map { key throws(APIError) in
      try IdempotencyClaim(key, in: context.data.store)
    }
    defer { _ = claim }

    // Decode, perform, encode. What a function asks for is counted with the call of the function.
    guard requester == nil else { return try await endpoint.respond(call, context) }
    guard endpoint !== Endpoint.runDataAction || context.users.endpoints.servesDataAPI else {
      throw APIError.routeNotFound
    }
    let memory = context.data.store.memory
    try endpoint.requireBalance(of: call.caller, in: memory)
    var response = try await endpoint.respond(call, context)
    response.tellDurability(of: call, by: policies.durability)
    try response.reserve(in: memory, for: call)
    if let past = call.past, !call.scope.isOfAllShards { response.fields.append(realmVersion: past.version) }
    return response
  }
}

extension Gateway {
  /// Returns the answer to a request for a file of the web site, at a path that is none of the API's, or the root; nil: there is
  /// no such file.
  private func hostedPage(
    at path: [String], for request: Request, _ progress: inout Progress
  ) async throws -> Response? {
    guard let site else { return nil }
    progress.route = "/{file}"
    try count(request, by: nil, &progress)
    return try await site.response(to: request, at: path)
  }
}

/// The facts about a request that are known before it has an answer.
struct Progress {
  let scope: RequestScope
  var route: String?
  var caller: Principal?
  /// The one who was given the ticket that the request shows; nil: it shows none.
  var holder: Principal?
  /// Whether the request has taken its token, which it does once however often it is decoded.
  var isCounted: Bool

  init(in scope: RequestScope = RequestScope()) {
    self.scope = scope
    isCounted = scope.isCounted
  }
}
