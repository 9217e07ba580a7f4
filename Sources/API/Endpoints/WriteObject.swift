import BSON
import HTTP
import Model
import Storage

/// PUT, PATCH or DELETE of one object.
struct WriteObject: Sendable {
  let transaction: Transaction
  private let returnsMinimal: Bool
  private let mediaType: MediaType

  init(putting call: Call, limit: Int) async throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    let value = try await call.value(limit: limit)
    var draft = try Content.locating { () throws(ValidationError) in
      try type.draft(from: value, in: call.schema, mode: .replace)
    }
    draft.identify(by: id, in: type)
    try self.init(call) { .put(objectType: type.name, id: id, draft: draft, precondition: $0) }
  }

  init(patching call: Call, limit: Int) async throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    let value = try await call.value(limit: limit)
    let patch = try Content.locating { () throws(ValidationError) in
      try type.patch(from: value, in: call.schema)
    }
    try self.init(call) { .update(objectType: type.name, id: id, patch: patch, precondition: $0) }
  }

  init(deleting call: Call) throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    try self.init(call) { .delete(objectType: type.name, id: id, precondition: $0) }
  }

  private init(
    _ call: Call, _ operation: (Storage.Operation.Precondition) -> Storage.Operation
  ) throws {
    let precondition = try Preconditions(call.request.fields).forWriting()
    mediaType = call.mediaType
    returnsMinimal = call.preferences.returnsMinimal
    transaction = Transaction(
      [operation(precondition)], returning: returnsMinimal ? nil : mediaType.representation)
  }

  func response(for commit: Commit) -> Response {
    let result = commit.results[0]
    let status: Status = result.effect == .created ? .created : .ok
    var response = Response(status: status, content: result.object, mediaType)
    if result.effect != .deleted {
      response.fields.append(EntityTag(version: result.objectVersion, mediaType: mediaType))
      if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    }
    response.fields.append(realmVersion: commit.version)
    return response
  }
}

extension ObjectDraft {
  /// Adds the primary key that the path names, where the content leaves it out.
  fileprivate mutating func identify(by id: Mixed, in type: ObjectType) {
    guard let index = type.primaryKeyIndex, !assignments.contains(where: { $0.property == index }) else {
      return
    }
    let place = assignments.firstIndex { $0.property > index } ?? assignments.endIndex
    assignments.insert(Assignment(property: index, value: .value(id)), at: place)
  }
}
