import Access
import Audit
import BSON
import HTTP
import Model
import Storage

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
  private let idempotencyKey: IdempotencyKey?
  private let fingerprint: UInt64

  init(_ call: Call, limit: Int) async throws {
    _ = try call.readableType()
    try self.init(call, try await call.bytes(limit: limit))
  }

  /// `bytes` is the content of the call.
  init(_ call: Call, _ bytes: [UInt8]) throws {
    try Preconditions(call.request.fields).refuse()
    let type = try call.collectionType()
    let policy = try CreateObjects.policy(call.parameters[.mode])
    let contentType = try call.readableType()
    idempotencyKey = call.idempotencyKey
    fingerprint = idempotencyKey == nil ? 0 : call.fingerprint(bytes)
    let content = try Content(bytes, as: contentType)
    let drafts = try content.drafts(of: type, in: call.schema, mode: policy == .error ? .create : .update)
    objectType = type
    form = content.form
    hasTag = !call.hidesProperties(of: type.name)
    mediaType = call.mediaType
    returnsMinimal = call.preferences.returnsMinimal
    transaction = Transaction(
      drafts.map { .create(objectType: type.name, draft: $0, policy: policy) },
      returning: content.form == nil && !returnsMinimal ? mediaType.representation : nil)
  }

  static func policy(_ text: String?) throws(APIError) -> Storage.Operation.UpdatePolicy {
    guard let text else { return .error }
    guard let policy = Storage.Operation.UpdatePolicy(rawValue: text) else { throw .invalidParameter(.mode) }
    return policy
  }

  func commit(
    to store: Store, generation: Int64, by permit: Permit?, _ record: WriteRecord?
  ) async throws -> Commit {
    var transaction = try transaction.made(for: generation, by: permit)
    transaction.hook = record?.hook()
    transaction.idempotency = idempotencyKey.map { key in
      IdempotencyRecord(key: key.text, fingerprint: fingerprint) { response(for: $0).stored }
    }
    do {
      guard let record else { return try await store.perform(transaction) }
      return try await record.commit { [transaction] in try await store.perform(transaction) }
    } catch let error as OperationError {
      throw WriteFailure(reason: error.reason, place: form?.place(of: error.operation))
    }
  }

  func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    var response = form == nil ? one(commit.results[0]) : summary(commit.results)
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: commit.version)
    return response
  }

  private func one(_ result: Commit.Result) -> Response {
    let isCreated = result.effect == .created
    var response = Response(status: isCreated ? .created : .ok, content: result.object, mediaType)
    if let segment = result.id.pathSegment {
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

extension Mixed {
  /// The identifier as a segment of a path; nil for null, which no path can name.
  fileprivate var pathSegment: String? {
    switch self {
    case .int(let int): String(int)
    case .string(let text): text.percentEncoded
    case .objectID(let id): id.description
    case .uuid(let id): id.description
    case .null, .bool, .float, .double, .decimal128, .data, .date, .link, .list, .dictionary: nil
    }
  }
}
