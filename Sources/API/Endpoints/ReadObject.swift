import Access
import HTTP
import Model
import Query
import Storage

/// GET of one object.
struct ReadObject: Sendable {
  private let objectType: ObjectType
  private let id: Mixed
  /// What is shown; no filter and no order.
  private let request: QueryRequest
  private let permit: Permit?
  /// What must hold of the object for the caller to see it.
  private let condition: Predicate?
  private let mediaType: MediaType
  private let preconditions: Preconditions

  init(_ call: Call) throws {
    objectType = try call.collectionType()
    permit = call.permit
    condition = try call.permit?.visibility(of: objectType.name)
    id = try call.identifier(of: objectType)
    request = try QueryParameters(call.parameters, PageLimit(call.mediaType, Gateway.Limits())).request
    mediaType = call.mediaType
    preconditions = try Preconditions(call.request.fields)
  }

  /// What the answer shows; nil: what the object itself stores.
  func projection(in schema: Schema) throws -> Projection? {
    let isWhole = request.fields == nil && request.expand == nil && request.projection == nil
    if isWhole, permit?[objectType.name].hidden.isEmpty != false { return nil }
    let projection = try Projection(request, objectType: objectType.name, schema: schema)
    return try permit?.pruned(projection) ?? projection
  }

  func response(from reader: Reader, projection: Projection?) throws -> Response {
    let hasTag = !(projection?.showsOtherObjects(of: objectType) ?? false)
    if hasTag, preconditions.noneMatches != nil,
      let version = try reader.version(objectType.name, id: id, where: condition)
    {
      let tag = EntityTag(version: version, mediaType: mediaType)
      if try preconditions.isCurrent(tag) { return Response(notModified: tag) }
    }
    // Most objects fit, so that the bytes are never moved.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    let version = try reader.object(
      objectType.name, id: id, projection: projection, where: condition, as: mediaType.representation,
      into: &bytes)
    guard let version else { throw StorageError.objectNotFound(objectType: objectType.name, id: id) }
    let tag = EntityTag(version: version, mediaType: mediaType)
    try preconditions.checkMatch(tag)
    var response = Response(status: .ok, content: bytes, mediaType)
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
