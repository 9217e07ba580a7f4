import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  static let patchObjects = Endpoint(
    "patchObjects",
    .patch("/v1/collections/{class}", parameters: [.filter, .args], reads: ContentType.ofPatches),
    answers: MediaType.forOne, requires: .permit, records: .writes, using: \.data
  ) { call, data in
    try await ChangeObjects(patching: call).answer(call, data)
  }

  static let deleteObjects = Endpoint(
    "deleteObjects", .delete("/v1/collections/{class}", parameters: [.filter, .args]),
    answers: MediaType.forOne, requires: .permit, records: .writes, using: \.data
  ) { call, data in try await ChangeObjects(deleting: call).answer(call, data) }
}

/// PATCH or DELETE of a collection: the same for all objects that match, in one transaction.
struct ChangeObjects: Sendable {
  private let objectType: ObjectType
  private let request: QueryRequest
  private let action: GatehouseStorage.Operation.Action
  private let repetition: Repetition?
  private let returnsMinimal: Bool
  private let mediaType: MediaType

  init(patching call: Call) async throws {
    let type = try call.collectionType()
    let request = try ChangeObjects.request(call)
    _ = try call.readableType()
    let (modification, repetition) = try await call.decode { bytes in
      (try Modification(call, bytes, of: type), Repetition(of: call, bytes))
    }
    self.init(call, of: type, request: request, action: modification.action, repetition: repetition)
  }

  init(deleting call: Call) throws {
    self.init(
      call, of: try call.collectionType(), request: try ChangeObjects.request(call), action: .delete,
      repetition: nil)
  }

  private init(
    _ call: Call, of type: ObjectType, request: QueryRequest, action: GatehouseStorage.Operation.Action,
    repetition: Repetition?
  ) {
    objectType = type
    self.request = request
    self.action = action
    self.repetition = repetition
    returnsMinimal = call.preferences.returnsMinimal
    mediaType = call.mediaType
  }

  /// Reads the filter and its arguments. Without one, everything would match: that must be asked for
  /// (`filter=TRUEPREDICATE`).
  private static func request(_ call: Call) throws -> QueryRequest {
    try Preconditions(call.request.fields).refuse()
    guard let filter = call.parameters[.filter] else { throw APIError.missingParameter(.filter) }
    return QueryRequest(filter: filter, arguments: try QueryParameters.arguments(call.parameters[.args]))
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    let plan = try await data.plan(request, of: objectType.name, for: call)
    let transaction = Transaction(
      [.each(plan, action)], idempotency: repetition?.record { response(for: $0) })
    return response(for: try await data.perform(transaction, for: call) { _ in nil })
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    let summary = Value.document(["count": .int64(Int64(commit.results[0].count))])
    var response = Response(
      status: .ok, content: returnsMinimal ? nil : mediaType.bytes(of: summary), mediaType)
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: commit.version)
    return response
  }
}
