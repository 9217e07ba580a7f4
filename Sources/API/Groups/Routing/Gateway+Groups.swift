import GatehouseAccess
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage

// Where classes of an app are in groups, a request is answered by the gateway of the group whose classes it names. Of keys, roles, users
// and functions the app has one of each, which the gateways of groups ask for where they are.
extension Gateway {
  /// Answers a request by the group that it is about.
  func dispatch(
    _ request: Request, as requester: FunctionRequester?, among groups: GroupGateways
  ) async -> Response {
    context.data.policies.refresh()
    // The content, which may say which classes it is about, is held until the request has been answered.
    let memory = context.data.store.memory.reservation(for: Caller(address: request.peer.client))
    defer { memory.release() }
    var route: GroupRoute
    var requester = requester
    do {
      // Another node may have written something of this app before it sent the request.
      if request.isForwarded, let entry = request.logEntry, await !context.data.hasCome(toEntry: entry) {
        throw APIError.outOfDate
      }
      if requester == nil { requester = try await forwardedRequester(of: request) }
      if request.isForwarded, requester != nil, let part = request.forwardedTransactionPart, part.step == .end
      {
        transactions.end(part.id)
        return Response(status: .noContent)
      }
      let router = GroupRouter(main: self, groups: groups, requester: requester, memory: memory)
      route = try await router.route(of: request)
      // The keys and users are those that this node knows of.
      if requester == nil || request.isForwarded, route.gateway !== self, cluster?.standing().isFresh == false
      {
        throw APIError.outOfDate
      }
      if requester == nil, route.gateway !== self, let login = GroupLogin(of: route.request, at: self),
        let refusal = try await login.perform(for: &route.request)
      {
        return refusal
      }
    } catch {
      return await refuse(request, as: requester, error)
    }
    var response = await route.answer(as: requester, through: self)
    if requester != nil { return response }
    route.finish(&response)
    if request.isForwarded, route.gateway === self, request.logEntry != nil {
      response.noteLogEntry(context.data.store.replicationPoint?.sequence ?? 0)
    }
    return response
  }

  /// Returns what an endpoint works with that one caller is answered by: the schema, its generation, and what they may in it. That of
  /// some endpoints is the schema of all groups.
  func knowledge(
    of principal: Principal, isFunction: Bool, for endpoint: Endpoint, in scope: RequestScope
  ) -> (schema: Schema, generation: Int64, permit: Permit?) {
    let state = context.data.reader.schemaState
    guard let groups, endpoint.coversGroups, !scope.isOfNamedGroup else {
      let permit = callers.permit(of: principal, isFunction: isFunction, in: state.0, generation: state.1)
      return (state.0, state.1, permit)
    }
    let (schema, generation) = groups.schema(with: state)
    let permit = groups.callers.permit(
      of: principal, isFunction: isFunction, in: schema, generation: generation)
    return (schema, generation, permit)
  }
}

extension GroupGateways {
  /// Returns the same call of each shard of a group, where all of them are asked. Throws ``APIError/outOfDate`` and
  /// ``GroupError/shardsDiffer``.
  func calls(_ call: Call, inShardsOf group: String) async throws -> [(call: Call, context: Context)] {
    guard call.scope.isOfAllShards else { return [] }
    let shards = shards(of: group)
    if let text = call.parameters[.at], !ShardVersions.isMoment(text, of: shards.count) {
      throw APIError.invalidParameter(.at)
    }
    var calls: [(call: Call, context: Context)] = []
    let schema = shards[0].context.data.reader.schemaState.0.withoutTrail
    for gateway in shards {
      if gateway.cluster?.standing().isFresh == false { throw APIError.outOfDate }
      let state = gateway.context.data.reader.schemaState
      guard state.0.withoutTrail == schema else { throw GroupError.shardsDiffer }
      let audit = gateway.context.audit
      let recording =
        audit.isRecorded(call.request)
        ? try await audit.recording(
          of: call.request, by: call.principal, asked: call.principal, on: call.endpoint) : nil
      // A call of the past has no conditions of its own any more.
      let permit =
        call.past == nil
        ? call.permit : gateway.callers.permit(of: call.principal, in: state.0, generation: state.1)
      let own = Call(call, in: state, under: permit, recording)
      calls.append((try own.ofPast(gateway.context.data), gateway.context))
    }
    return calls
  }

  /// Returns the same call of the databases of the other groups. Throws ``APIError/outOfDate``.
  func callsInOtherGroups(_ call: Call) throws -> [(Call, DataAccess)] {
    guard !call.scope.isOfNamedGroup else { return [] }
    return try all.map { gateway in
      if gateway.cluster?.standing().isFresh == false { throw APIError.outOfDate }
      let state = gateway.context.data.reader.schemaState
      let permit = gateway.callers.permit(of: call.principal, in: state.0, generation: state.1)
      return (Call(call, in: state, under: permit), gateway.context.data)
    }
  }
}

extension GroupRoute {
  /// Answers a client, or a function that asks while it is called.
  ///
  /// - Parameter main: The gateway that the request has come to.
  fileprivate func answer(as requester: FunctionRequester?, through main: Gateway) async -> Response {
    let request = request
    let answer = { @Sendable (gateway: Gateway, request: Request, scope: RequestScope) async -> Response in
      if let requester {
        return await FunctionCommand(
          request: request, scope: scope, requester: requester, gateway: gateway, main: main
        ).answer()
      }
      return await gateway.respondByOwnStore(to: request, in: scope)
    }
    switch shards {
    case .one:
      // A part of a schema is that of one group, whoever answers.
      do throws(APIError) {
        let scope = try RequestScope(
          of: request, isOfNamedGroup: isExplicit || schema != nil, secret: gateway.context.data.store.secret,
          at: main.context.access.clock())
        return await answer(gateway, request, scope)
      } catch {
        return await main.refuse(request, as: requester, error)
      }
    case .merged:
      // No other node is asked: it would answer by the shard that it leads.
      let scope = RequestScope(isOfAllShards: true)
      if let requester { return await gateway.respond(to: request, as: requester, in: scope) }
      let response = await gateway.respondHere(to: request, in: scope)
      return await gateway.answerOnceKnown(request, in: scope, unless: response)
    case .each(let shards):
      let first = await answer(shards[0], request, RequestScope())
      var response = first
      for shard in shards.dropFirst() where (200..<300).contains(response.status.rawValue) {
        response = await answer(shard, request, RequestScope(isCounted: true))
      }
      return (200..<300).contains(response.status.rawValue) ? first : response
    case .parts(let write): return await write.answer(by: answer)
    case .command(let command): return await command.answer(by: answer)
    }
  }
}
