import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Endpoint {
  static let putObject = Endpoint(
    "putObject", .put("/v1/collections/{class}/{id}", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteObject(putting: call, data).answer(call, data) }

  static let patchObject = Endpoint(
    "patchObject", .patch("/v1/collections/{class}/{id}", reads: ContentType.ofPatches),
    answers: MediaType.forOne, requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteObject(patching: call, data).answer(call, data) }

  static let deleteObject = Endpoint(
    "deleteObject", .delete("/v1/collections/{class}/{id}"), answers: MediaType.forOne, requires: .permit,
    records: .writes, using: \.data
  ) { call, data in try await WriteObject(deleting: call, data).answer(call, data) }
}

/// PUT, PATCH or DELETE of one object.
struct WriteObject: Sendable {
  private var transaction: Transaction
  private let returnsMinimal: Bool
  private let mediaType: MediaType
  /// Whether the answer may tell the object's version.
  private let hasTag: Bool

  init(putting call: Call, _ data: DataAccess) async throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    let precondition = try call.precondition(type, id, in: data)
    let contentType = try call.readableType()
    var draft = try await call.decode { bytes in
      let value = try Content(bytes, as: contentType).value
      return try Content.locating { () throws(ValidationError) in
        try type.draft(
          from: value, in: call.schema, mode: .replace(keeping: call.permit?[type.name].fixed ?? []))
      }
    }
    draft.identify(by: id, in: type)
    self.init(call, .put(objectType: type.name, id: id, draft: draft, precondition: precondition))
  }

  init(patching call: Call, _ data: DataAccess) async throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    let precondition = try call.precondition(type, id, in: data)
    _ = try call.readableType()
    let (modification, repetition) = try await call.decode { bytes in
      (try Modification(call, bytes, of: type), Repetition(of: call, bytes))
    }
    self.init(call, modification.operation(on: type, id, precondition))
    transaction.idempotency = repetition?.record { [self] in response(for: $0) }
  }

  init(deleting call: Call, _ data: DataAccess) throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    let precondition = try call.precondition(type, id, in: data)
    self.init(call, .delete(objectType: type.name, id: id, precondition: precondition))
  }

  private init(_ call: Call, _ operation: GatehouseStorage.Operation) {
    mediaType = call.mediaType
    hasTag = !call.showsPart(of: call.className)
    returnsMinimal = call.preferences.returnsMinimal
    transaction = Transaction([operation], returning: returnsMinimal ? nil : mediaType.representation)
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    response(for: try await data.perform(transaction, for: call) { _ in nil })
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    let result = commit.results[0]
    let status: Status = result.effect == .created ? .created : .ok
    var response = Response(status: status, content: result.object, mediaType)
    if result.effect != .deleted {
      if hasTag { response.fields.append(EntityTag(version: result.objectVersion, mediaType: mediaType)) }
      if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    }
    response.fields.append(realmVersion: commit.version)
    return response
  }
}

extension ObjectDraft {
  /// Adds the primary key that the path names, where the content leaves it out.
  mutating func identify(by id: Mixed, in type: ObjectType) {
    guard let index = type.primaryKeyIndex, !assignments.contains(where: { $0.property == index }) else {
      return
    }
    let place = assignments.firstIndex { $0.property > index } ?? assignments.endIndex
    assignments.insert(Assignment(property: index, value: .value(id)), at: place)
  }
}
