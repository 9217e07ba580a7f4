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
    let route: GroupRoute
    var requester = requester
    do {
      if requester == nil { requester = try await forwardedRequester(of: request) }
      let router = GroupRouter(main: self, groups: groups, requester: requester, memory: memory)
      route = try await router.route(of: request)
      // The keys and users are those that this node knows of.
      if requester == nil || request.isForwarded, route.gateway !== self, cluster?.standing().isFresh == false
      {
        throw APIError.outOfDate
      }
    } catch {
      return await refuse(request, as: requester, error)
    }
    if let requester { return await answer(route, for: requester) }
    var response = await GroupGateways.$isOfOne.withValue(route.isExplicit) {
      await route.gateway.respondByOwnStore(to: route.request)
    }
    route.finish(&response)
    return response
  }

  /// Returns what an endpoint works with that one caller is answered by: the schema, its generation, and what they may in it. That of
  /// some endpoints is the schema of all groups.
  func knowledge(
    of principal: Principal, isFunction: Bool, for endpoint: Endpoint
  ) -> (schema: Schema, generation: Int64, permit: Permit?) {
    let state = context.data.reader.schemaState
    guard let groups, endpoint.coversGroups, !GroupGateways.isOfOne else {
      let permit = callers.permit(of: principal, isFunction: isFunction, in: state.0, generation: state.1)
      return (state.0, state.1, permit)
    }
    let (schema, generation) = groups.schema(with: state)
    let permit = groups.callers.permit(
      of: principal, isFunction: isFunction, in: schema, generation: generation)
    return (schema, generation, permit)
  }

  /// Returns the same call of the databases of the other groups. Throws ``APIError/outOfDate``.
  func callsInOtherGroups(_ call: Call) throws -> [(Call, DataAccess)] {
    guard let groups, !GroupGateways.isOfOne else { return [] }
    return try groups.all.map { gateway in
      if gateway.cluster?.standing().isFresh == false { throw APIError.outOfDate }
      let state = gateway.context.data.reader.schemaState
      let permit = gateway.callers.permit(of: call.principal, in: state.0, generation: state.1)
      return (Call(call, in: state, under: permit), gateway.context.data)
    }
  }
}
