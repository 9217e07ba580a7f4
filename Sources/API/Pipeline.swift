import Functions
public import HTTP
import Storage

// The whole way of a request. Each stage takes a value and returns one; any error leaves by the one `catch`.
//
//     Request ─▶ Router ─▶ Call ─▶ Intent ─▶ Plan or Transaction ─▶ Page or Commit ─▶ Response
extension Gateway {
  public func respond(to request: Request) async -> Response {
    var route: String?
    var response: Response
    do {
      response = try await answer(to: request, route: &route)
    } catch {
      response = Problem(error).response(to: request)
    }
    response.route = route
    cors?.apply(to: &response, for: request)
    return response
  }

  private func answer(to request: Request, route: inout String?) async throws -> Response {
    // Match the route.
    let endpoint: Endpoint
    let captures: [String]
    guard request.peer == .local || hosts.allows(request.fields) else { throw Refusal.misdirected }
    let segments = try request.target.segments()
    let resource = try router.resource(at: segments)
    route = resource.template
    switch try resource.match(request.method, segments) {
    case .options(let allow): return Response(allowing: allow)
    case .endpoint(let found, let segments): (endpoint, captures) = (found, segments)
    }

    // Decode what it asks for: from here on, everything is typed by the schema.
    let schema = store.schema
    let call = try Call(request, to: endpoint, captures: captures, schema: schema)
    let claim = try call.idempotencyKey.map { key throws(Refusal) in try IdempotencyClaim(key, in: store) }
    defer { _ = claim }
    let intent = try await Intent(decoding: call, for: self)

    // Plan, perform, encode.
    switch intent {
    case .liveness:
      return Response(text: "live")
    case .readiness:
      if readiness.isStopping { throw Refusal.stopping }
      if let failure = store.failure { throw failure }
      _ = try reader.counts()
      return Response(text: "ready")
    case .contract:
      return Response(contract: PackageResources.openapi_yaml)
    case .metrics:
      return Response(metrics: metrics)
    case .readSchema(let read):
      return read.response(for: schema)
    case .applySchema(let change):
      let outcome = try await store.apply(
        change.schema, destructive: change.isDestructive, renames: change.renames)
      return change.response(for: outcome)
    case .countObjects(let count):
      return count.response(for: try reader.counts())
    case .readObject(let read):
      return try read.response(from: reader, projection: read.projection(in: schema))
    case .findObjects(let find):
      return try find.response(from: self, plan: try find.plan(from: &plans))
    case .readChanges(let read):
      return try read.response(from: self)
    case .listFunctions(let list):
      return list.response(for: try functions.functions())
    case .callFunction(let call):
      let result = try await functions.call(call.invocation, respondent: respondent(for: request))
      return try call.response(for: result)
    case .writeObject(let write):
      let commit = try await store.perform(write.transaction)
      return write.response(for: commit)
    case .createObjects(let creation):
      let commit = try await creation.commit(to: store)
      return creation.response(for: commit)
    case .loadObjects(let load):
      let commit = try await load.commit(to: store)
      return load.response(for: commit)
    case .changeObjects(let change):
      let plan = try change.plan(in: schema)
      let commit = try await store.perform(change.transaction(plan))
      return change.response(for: commit)
    case .runTransaction(let run):
      let commit = try await run.commit(to: store)
      return run.response(for: commit)
    }
  }
}
