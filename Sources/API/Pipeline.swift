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
      response = try await lastingAnswer(to: request, route: &route)
    } catch  where route?.hasPrefix(Route.appServices) == true {
      response = Problem.appServicesResponse(to: error)
    } catch {
      response = Problem(error).response(to: request)
    }
    response.route = route
    cors?.apply(to: &response, for: request)
    return response
  }

  /// An answer for the schema as it is: where that changed meanwhile, the request is decoded anew. Each time somebody
  /// else's change was made, so that this ends.
  private func lastingAnswer(to request: Request, route: inout String?) async throws -> Response {
    while request.body.isWhole {
      do { return try await answer(to: request, route: &route) } catch  where error.isSchemaChange {}
    }
    return try await answer(to: request, route: &route)
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
    let (schema, generation) = store.schemaState
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
        change.schema, destructive: change.isDestructive, renames: change.renames,
        generation: change.objectType == nil ? nil : generation)
      return change.response(for: outcome)
    case .countObjects(let count):
      return count.response(for: try reader.counts())
    case .readObject(let read):
      guard let projection = try read.projection(in: schema) else {
        return try read.response(from: reader, projection: nil)
      }
      return try await self.read { try read.response(from: $0, projection: projection) }
    case .findObjects(let find):
      let plan = try find.plan(from: &plans)
      return try await read { try find.response(from: $0, for: self, plan: plan) }
    case .subscribe(let subscribe):
      return try subscribe.response(from: self)
    case .readChanges(let changes):
      return try await read { try changes.response(from: $0, for: self) }
    case .listFunctions(let list):
      return list.response(for: try functions.functions())
    case .callFunction(let call):
      let result = try await functions.call(call.invocation, respondent: respondent(for: request))
      return try call.response(for: result)
    case .callAppFunction(let call):
      return try await call.response(from: functions, respondent: respondent(for: request))
    case .writeObject(let write):
      let commit = try await store.perform(write.transaction.made(for: generation))
      return write.response(for: commit)
    case .readProperty(let read):
      return try await self.read { try read.response(from: $0, for: self) }
    case .writeProperty(let write):
      return write.response(for: try await store.perform(write.transaction.made(for: generation)))
    case .createObjects(let creation):
      let commit = try await creation.commit(to: store, generation: generation)
      return creation.response(for: commit)
    case .loadObjects(let load):
      let commit = try await load.commit(to: store, generation: generation)
      return load.response(for: commit)
    case .changeObjects(let change):
      let plan = try change.plan(in: schema)
      let commit = try await store.perform(change.transaction(plan).made(for: generation))
      return change.response(for: commit)
    case .runTransaction(let run):
      let commit = try await run.commit(to: store, generation: generation)
      return run.response(for: commit)
    }
  }
}

extension RequestBody {
  /// Whether it can be read once more.
  fileprivate var isWhole: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream: false
    }
  }
}

extension Error {
  fileprivate var isSchemaChange: Bool {
    switch self {
    case let error as StorageError: error == .schemaChanged
    case let error as OperationError: error.reason == .schemaChanged
    case let error as WriteFailure: error.reason == .schemaChanged
    default: false
    }
  }
}

extension Transaction {
  fileprivate func made(for generation: Int64) -> Transaction {
    var transaction = self
    transaction.generation = generation
    return transaction
  }
}
