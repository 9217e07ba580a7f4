import Access
import Audit
import Functions
public import HTTP
import Storage

// The whole way of a request. Each stage takes a value and returns one; any error leaves by the one `catch`.
//
//     Request ─▶ Router ─▶ Principal ─▶ Permit ─▶ Call ─▶ Intent ─▶ Plan or Transaction ─▶ Page or Commit ─▶ Response
extension Gateway {
  public func respond(to request: Request) async -> Response {
    await respond(to: request, as: nil)
  }

  /// Answers a request that `caller` makes; nil: whoever its credential shows.
  func respond(to request: Request, as caller: Principal?) async -> Response {
    var progress = Progress()
    var response: Response
    do {
      response = try await lastingAnswer(to: request, as: caller, &progress)
    } catch {
      let problem = Problem(error)
      log(error, problem.code, of: request, on: progress.route)
      await record(problem, of: request, progress)
      response =
        request.target.path.hasPrefix(Route.appServices)
        ? Problem.appServicesResponse(to: error, for: request) : problem.response(to: request)
    }
    logFailure(of: &response.body, request, on: progress.route)
    response.route = progress.route
    cors?.apply(to: &response, for: request)
    return response
  }

  /// An answer for the schema as it is: where that changed meanwhile, the request is decoded anew. Each time somebody
  /// else's change was made, so that this ends.
  private func lastingAnswer(
    to request: Request, as caller: Principal?, _ progress: inout Progress
  ) async throws -> Response {
    while request.body.isWhole {
      do { return try await answer(to: request, as: caller, &progress) } catch  where error.isSchemaChange {}
    }
    return try await answer(to: request, as: caller, &progress)
  }

  private func answer(
    to request: Request, as caller: Principal?, _ progress: inout Progress
  ) async throws -> Response {
    // Match the route.
    let endpoint: Endpoint
    let captures: [String]
    guard request.peer == .local || hosts.allows(request.fields) else { throw APIError.misdirected }
    // Where no credential is asked for, any page could act as whoever reads it.
    if request.isCrossOrigin(allowed: cors?.origins), callers.needNoCredential { throw APIError.crossOrigin }
    let segments = try request.target.segments()
    let resource = try router.resource(at: segments)
    progress.route = resource.template
    switch try resource.match(request.method, consume segments) {
    case .options(let allow): return Response(allowing: allow)
    case .endpoint(let found, let segments): (endpoint, captures) = (found, segments)
    }

    // Find out who asks, and what of it is recorded: the class that records are objects of may have to be made first.
    let principal = try caller ?? callers.principal(of: request, for: endpoint, reader)
    progress.caller = principal
    let recording = isRecorded(request) ? try await recording(of: request, by: principal, endpoint) : nil
    let (schema, generation) = reader.schemaState
    let permit = callers.permit(of: principal, in: schema, generation: generation)

    // Decode what it asks for: from here on, everything is typed by the schema.
    let call = try Call(
      request, to: endpoint, captures: captures, schema: schema, principal: principal, permit: permit)
    let claim = try call.idempotencyKey.map { key throws(APIError) in try IdempotencyClaim(key, in: store) }
    defer { _ = claim }
    let arrival = request.body.isWhole ? nil : clock()
    let intent = try await Intent(decoding: call, for: self)
    // A content may take hours to arrive, and its sender have been shut out meanwhile.
    if let arrival, clock() - arrival > 1_000_000_000, endpoint.requirement != .nothing {
      try requireValidity(of: principal)
    }

    // Plan, perform, encode.
    switch intent {
    case .liveness:
      return Response(text: "live")
    case .readiness:
      if readiness.isStopping { throw APIError.stopping }
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
        generation: change.objectType == nil ? nil : generation,
        hook: try await hook(of: change, from: schema, request, by: principal, endpoint))
      return change.response(for: outcome)
    case .countObjects(let count):
      guard let permit else { return count.response(for: try reader.counts()) }
      return try await read(for: call) { try count.response(from: $0, for: permit, in: schema) }
    case .readObject(let read):
      let projection = try read.projection(in: schema)
      guard projection != nil || recording != nil else {
        return try read.response(from: reader, projection: nil)
      }
      return try await self.read(for: call, recording, as: .objects) {
        try read.response(from: $0, projection: projection)
      }
    case .findObjects(let find):
      let plan = try await find.plan(for: self)
      try await find.recordAggregated(plan, for: self, recording)
      return try await find.read(for: self, recording) {
        try find.response(from: $0, for: self, plan: plan, recording)
      }
    case .subscribe(let subscribe):
      return try subscribe.response(from: self, recording)
    case .readChanges(let changes):
      return try await changes.response(from: self, recording)
    case .listFunctions(let list):
      return list.response(for: try functions.functions())
    case .callFunction(let call):
      try await record(call.invocation, of: request, by: principal)
      return try call.response(for: try await self.call(call.invocation, for: request, by: principal))
    case .callAppFunction(let call):
      try await record(call.invocation, of: request, by: principal)
      return try await call.response(from: self, request, by: principal)
    case .writeObject(let write):
      return write.response(for: try await perform(write.transaction, for: generation, by: permit, recording))
    case .readProperty(let read):
      return try await self.read(for: call, recording, as: read.manner) {
        try read.response(from: $0, for: self, recording)
      }
    case .writeProperty(let write):
      return write.response(for: try await perform(write.transaction, for: generation, by: permit, recording))
    case .createObjects(let creation):
      let commit = try await creation.commit(
        to: store, generation: generation, by: permit, recording?.write())
      return creation.response(for: commit)
    case .loadObjects(let load):
      let commit = try await load.commit(to: store, generation: generation, by: permit, recording?.write())
      return load.response(for: commit)
    case .changeObjects(let change):
      let transaction = change.transaction(try change.plan(in: schema))
      return change.response(for: try await perform(transaction, for: generation, by: permit, recording))
    case .runTransaction(let run):
      let commit = try await run.commit(to: store, generation: generation, by: permit, recording?.write())
      return run.response(for: commit)
    case .manageKeys(let manage):
      return try await manage.response(from: access)
    case .manageRoles(let manage):
      return try await manage.response(from: access)
    case .appServices(let request):
      return try await request.response(from: users, accountFunctions(for: call.request))
    case .manageUsers(let manage):
      return try await manage.response(from: users)
    case .audit(let command):
      guard let recorder else { throw AuditError.disabled }
      return try await command.response(from: recorder)
    }
  }
}

/// What is known of a request before it has an answer.
struct Progress {
  var route: String?
  var caller: Principal?
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
  /// The transaction for a generation of the schema, and for what a caller may change only. Throws ``AccessError``.
  func made(for generation: Int64, by permit: Permit?) throws(AccessError) -> Transaction {
    var transaction = try permit?.restricted(self) ?? self
    transaction.generation = generation
    return transaction
  }
}
