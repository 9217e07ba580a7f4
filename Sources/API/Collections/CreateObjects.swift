import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Endpoint {
  static let createObjects = Endpoint(
    "createObjects",
    .post(
      "/v1/collections/{class}", parameters: [.mode], reads: ContentType.ofValues + ContentType.ofSequences),
    answers: MediaType.forOne, requires: .permit, records: .writes, using: \.data
  ) { call, data in
    if data.infersClasses, call.permit == nil, call.schema[call.className] == nil {
      return try await CreateInferredClass(call, data).answer(data)
    }
    guard call.contentType?.sequenceFormat != nil else {
      return try await CreateObjects(call).answer(call, data)
    }
    // Lines and rows come in any number. What is wrong with the head need not wait for the content.
    _ = (try call.collectionType(), try call.readableType())
    let upload = try await Upload(call, limit: call.limits.streamSize, store: data.store)
    guard let spool = upload.spool else {
      return try await CreateObjects(call, upload.bytes).answer(call, data)
    }
    let load = try LoadObjects(
      call, spool, fingerprint: upload.fingerprint, limit: call.limits.contentSize)
    return try await load.answer(call, data)
  }
}

/// POST to a collection: one object, or several in one transaction.
struct CreateObjects: Sendable {
  private let transaction: Transaction
  private let objectType: ObjectType
  /// Nil: there is one object.
  private let form: Content.Form?
  private let returnsMinimal: Bool
  private let mediaType: MediaType
  /// Whether the answer may tell the object's version.
  private let hasTag: Bool
  private let repetition: Repetition?

  init(_ call: Call) async throws {
    _ = try call.readableType()
    self = try await call.decode { try CreateObjects(call, $0) }
  }

  /// `bytes` is the content of the call.
  init(_ call: Call, _ bytes: [UInt8]) throws {
    try Preconditions(call.request.fields).refuse()
    let type = try call.collectionType()
    let policy = try CreateObjects.policy(call.parameters[.mode])
    let contentType = try call.readableType()
    repetition = Repetition(of: call, bytes)
    let content = try Content(bytes, as: contentType, of: type, in: call.schema)
    let drafts = try content.drafts(of: type, in: call.schema, mode: policy == .error ? .create : .update)
    objectType = type
    form = content.form
    hasTag = !call.showsPart(of: type.name)
    mediaType = call.mediaType
    returnsMinimal = call.preferences.returnsMinimal
    transaction = Transaction(
      drafts.map { .create(objectType: type.name, draft: $0, policy: policy) },
      returning: content.form == nil && !returnsMinimal ? mediaType.representation : nil)
  }

  static func policy(_ text: String?) throws(APIError) -> GatehouseStorage.Operation.UpdatePolicy {
    guard let text else { return .error }
    guard let policy = GatehouseStorage.Operation.UpdatePolicy(rawValue: text) else {
      throw .invalidParameter(.mode)
    }
    return policy
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    var transaction = transaction
    transaction.idempotency = repetition?.record { response(for: $0) }
    let commit = try await data.perform(transaction, for: call) { form?.place(of: $0.operation) }
    return response(for: commit)
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    var response = form == nil ? one(commit.results[0]) : summary(commit.results)
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: commit.version)
    return response
  }

  private func one(_ result: Commit.Result) -> Response {
    let isCreated = result.effect == .created
    var response = Response(status: isCreated ? .created : .ok, content: result.object, mediaType)
    if let segment = objectType.text(ofIdentifier: result.id)?.percentEncoded {
      let location = "/v1/collections/\(objectType.name.percentEncoded)/\(segment)"
      response.fields.append(isCreated ? "location" : "content-location", location)
    }
    if hasTag { response.fields.append(EntityTag(version: result.objectVersion, mediaType: mediaType)) }
    return response
  }

  private func summary(_ results: [Commit.Result]) -> Response {
    // Primary keys are never links.
    let ids = results.map { $0.id.value { _ in .null } }
    let summary = Value.document(["count": .int64(Int64(ids.count)), "ids": .array(ids)])
    let isCreated = results.contains { $0.effect == .created }
    return Response(
      status: isCreated ? .created : .ok, content: returnsMinimal ? nil : mediaType.bytes(of: summary),
      mediaType)
  }
}
