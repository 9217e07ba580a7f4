import GatehouseAccess
import GatehouseAudit
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  /// As an event stream: the object, watched.
  static let readObject = Endpoint(
    "readObject",
    .get(
      "/v1/collections/{class}/{id}",
      parameters: [.fields, .expand, .projection, .since, .values, .keyPaths, .at]),
    answers: MediaType.forObject, requires: .permit, records: .reads, using: \.events
  ) { call, events in
    if call.mediaType == .eventStream {
      return try await Subscribe(toObjectOf: call).answer(call, events)
    }
    return try await ReadObject(call).answer(events.data)
  }
}

/// GET of one object.
final class ReadObject: Sendable {
  private let call: Call
  private let objectType: ObjectType
  private let id: Mixed
  /// The parameters that say what is shown; nil: what the object itself stores.
  private let request: QueryRequest?
  /// The condition under which the caller may see the object.
  private let condition: Predicate?
  /// The part of other objects that the caller may see; nil: all that is shown.
  private let visibility: Visibility?
  private let preconditions: Preconditions

  init(_ call: Call) throws {
    self.call = call
    objectType = try call.collectionType()
    condition = try call.permit?.visibility(of: objectType.name)
    id = try call.identifier(of: objectType)
    let isWhole = call.parameters.isEmpty
    request =
      isWhole
      ? nil : try QueryParameters(call.parameters, PageLimit(call.mediaType, RequestLimits())).request
    preconditions = try Preconditions(call.request.fields)
    visibility = isWhole && !call.showsPart(of: objectType.name) ? nil : call.permit?.visibility
  }

  func answer(_ data: DataAccess) async throws -> Response {
    let projection = try projection(in: call.schema)
    guard projection != nil || call.recording != nil || call.past != nil else {
      return try response(from: data.reader, projection: nil)
    }
    return try await data.read(for: call, as: .objects) {
      try self.response(from: $0, projection: projection)
    }
  }

  /// Returns what the answer shows; nil: what the object itself stores.
  private func projection(in schema: Schema) throws -> Projection? {
    if request == nil, !call.showsPart(of: objectType.name) { return nil }
    return try Projection(
      request?.selection ?? FieldSelection(), objectType: objectType.name, schema: schema)
  }

  private func response(from reader: Reader, projection: Projection?) throws -> Response {
    let hasTag = call.past == nil && !(projection?.showsOtherObjects(of: objectType) ?? false)
    if call.showsPart(of: objectType.name) {
      return try shownResponse(from: reader, projection, hasTag: hasTag)
    }
    if hasTag, preconditions.noneMatches != nil,
      let version = try reader.version(objectType.name, id: id, where: condition)
    {
      let tag = EntityTag(version: version, mediaType: call.mediaType)
      if try preconditions.isCurrent(tag) { return Response(notModified: tag) }
    }
    // Most objects fit, so that the bytes are never moved.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    let version = try reader.object(
      objectType.name, id: id, projection: projection, where: condition, under: visibility,
      as: call.mediaType.representation, into: &bytes)
    guard let version else { throw StorageError.objectNotFound(objectType: objectType.name, id: id) }
    let tag = EntityTag(version: version, mediaType: call.mediaType)
    try preconditions.checkMatch(tag)
    var response = Response(status: .ok, content: bytes, call.mediaType)
    if hasTag { response.fields.append(tag) }
    return response
  }

  /// Answers a caller who is not shown all properties.
  private func shownResponse(from reader: Reader, _ projection: Projection?, hasTag: Bool) throws -> Response
  {
    // Before the object: a tag that is too old is refused, one that is too new would hide a change.
    guard let shown = try call.shown(objectType, id, by: reader) else {
      throw StorageError.objectNotFound(objectType: objectType.name, id: id)
    }
    let tag = EntityTag(shown.state, call.mediaType)
    try preconditions.checkMatch(tag)
    if hasTag, try preconditions.isCurrent(tag) { return Response(notModified: tag) }
    var bytes: [UInt8] = []
    let version = try reader.object(
      objectType.name, id: id, projection: projection, where: condition, under: visibility,
      as: call.mediaType.representation, into: &bytes)
    guard version != nil else { throw StorageError.objectNotFound(objectType: objectType.name, id: id) }
    var response = Response(status: .ok, content: bytes, call.mediaType)
    if hasTag { response.fields.append(tag) }
    return response
  }
}

extension Projection {
  /// Whether the answer has more in it than the object itself: then the object's version says nothing about
  /// whether the answer has changed, and there is no entity tag.
  fileprivate func showsOtherObjects(of type: ObjectType) -> Bool {
    fields.contains { field in
      if case .linkingObjects = type.properties[field.property].type { return true }
      return field.target != nil
    }
  }
}
