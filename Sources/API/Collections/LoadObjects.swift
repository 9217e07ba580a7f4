import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// POST of NDJSON or CSV to a collection that is too large for memory: one transaction, read from a file.
///
/// Unlike ``CreateObjects`` it answers with the number of objects only: their identifiers would need as much
/// memory as there are objects.
struct LoadObjects: Sendable {
  private let objects: SpooledObjects
  private let objectType: String
  private let policy: GatehouseStorage.Operation.UpdatePolicy
  private let returnsMinimal: Bool
  private let mediaType: MediaType
  private let idempotencyKey: IdempotencyKey?
  private let fingerprint: UInt64

  init(_ call: Call, _ spool: Spool, fingerprint: UInt64, limit: Int) throws {
    try Preconditions(call.request.fields).refuse()
    let type = try call.collectionType()
    policy = try CreateObjects.policy(call.parameters[.mode])
    objectType = type.name
    let format = try call.readableType().sequenceFormat ?? .ndjson
    objects = SpooledObjects(spool, as: format, for: call, of: type, policy: policy, limit: limit)
    mediaType = call.mediaType
    returnsMinimal = call.preferences.returnsMinimal
    idempotencyKey = call.idempotencyKey
    self.fingerprint = fingerprint
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    var response = response(for: try await commit(call, to: data.store))
    response.tellFullDurability(of: call, by: data.policies.current.durability)
    return response
  }

  private func commit(_ call: Call, to store: Store) async throws -> Commit {
    let record = call.recording?.write()
    let rights = WriteRights(
      conditions: call.permit?.condition(of: objectType).map { [objectType: $0] } ?? [:],
      visibility: call.permit?.visibility)
    let idempotency = idempotencyKey.map { key in
      IdempotencyRecord(key: key.text, fingerprint: fingerprint) { response(for: $0).stored }
    }
    do {
      let load = { [objects] in
        try await store.load(
          idempotency: idempotency, generation: call.generation,
          rights: rights, hook: record?.hook(continues: true), caller: call.caller
        ) { try objects.next() }
      }
      guard let record else { return try await load().withReadableAnswer() }
      return try await record.commit(canRepeat: false, load).withReadableAnswer()
    } catch let error as OperationError {
      if let failure = objects.failure { throw failure }
      throw objects.located(error)
    }
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    let summary = Value.document(["count": .int64(Int64(objects.count))])
    var response = Response(
      status: policy == .error ? .created : .ok, content: returnsMinimal ? nil : mediaType.bytes(of: summary),
      mediaType)
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: commit.version)
    return response
  }
}
