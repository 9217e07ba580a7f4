import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Endpoint {
  private static let property = "/v1/collections/{class}/{id}/{path}"

  static let putProperty = Endpoint(
    "putProperty", .put(property, reads: ContentType.ofValues), answers: MediaType.forParts,
    requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteProperty(putting: call, data).answer(call, data) }

  static let patchProperty = Endpoint(
    "patchProperty", .patch(property, parameters: [.uniquing], reads: ContentType.ofValues),
    answers: MediaType.forParts, requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteProperty(patching: call, data).answer(call, data) }

  static let extendProperty = Endpoint(
    "extendProperty", .post(property, parameters: [.at], reads: ContentType.ofValues),
    answers: MediaType.forParts, requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteProperty(posting: call, data).answer(call, data) }

  static let deleteProperty = Endpoint(
    "deleteProperty", .delete(property, parameters: [.from, .count]), answers: MediaType.forParts,
    requires: .permit, records: .writes, using: \.data
  ) { call, data in try await WriteProperty(deleting: call, data).answer(call, data) }
}

/// PUT, PATCH, POST or DELETE of what a path leads to inside an object.
struct WriteProperty: Sendable {
  private var transaction: Transaction
  private let path: ResourcePath
  private let segments: [String]
  private let mediaType: MediaType
  /// Whether the answer may tell the object's version.
  private let hasTag: Bool

  init(putting call: Call, _ data: DataAccess) async throws {
    try await self.init(call, data) { path in
      try await call.decode { bytes in
        .assign(try call.draft(try call.part(path.type, bytes), at: path))
      }
    }
  }

  init(deleting call: Call, _ data: DataAccess) async throws {
    try await self.init(call, data) { path in
      guard call.parameters[.from] != nil || call.parameters[.count] != nil else {
        // A property that cannot be null cannot be deleted either.
        if case .one = path.type, path.isProperty { _ = try call.draft(.null, at: path) }
        return .remove
      }
      guard case .list = path.type else { throw APIError.invalidParameter(.from) }
      guard let from = try call.integer(.from) else { throw APIError.missingParameter(.from) }
      let count = try call.integer(.count) ?? 1
      guard count >= 0 else { throw APIError.invalidParameter(.count) }
      return .removeElements(from: from, count: count)
    }
  }

  /// Adds elements to a list or set: an array adds each of its elements, anything else itself.
  init(posting call: Call, _ data: DataAccess) async throws {
    var repetition: Repetition?
    try await self.init(call, data) { path in
      let drafts: [DraftValue]
      (drafts, repetition) = try await call.decode { bytes in
        let content = try call.part(path.type, bytes)
        let values: [Value] = if case .array(let values) = content { values } else { [content] }
        return (try call.drafts(values, of: path.type, in: path.ownerType), Repetition(of: call, bytes))
      }
      if case .set = path.type {
        guard call.parameters[.at] == nil else { throw APIError.invalidParameter(.at) }
        return .union(drafts)
      }
      return .insert(drafts, at: try call.integer(.at))
    }
    transaction.idempotency = repetition?.record { [self] in response(for: $0) }
  }

  init(patching call: Call, _ data: DataAccess) async throws {
    var repetition: Repetition?
    try await self.init(call, data) { path in
      let change: PropertyChange
      (change, repetition) = try await call.decode { bytes in
        let value = try Content(bytes, as: call.readableType()).value
        let patch = PropertyPatch(value, call.parameters[.uniquing])
        return (try patch.change(of: path, call), Repetition(of: call, bytes))
      }
      return change
    }
    transaction.idempotency = repetition?.record { [self] in response(for: $0) }
  }

  private init(
    _ call: Call, _ data: DataAccess, making change: (ResourcePath) async throws -> PropertyChange
  ) async throws {
    let (type, id, path) = try call.place()
    try path.check(call.request.method)
    let precondition = try call.precondition(
      type, id, owner: call.schema[path.ownerType] ?? type, isOwn: path.ownerDepth == 0, in: data)
    hasTag = !call.showsPart(of: path.ownerType)
    if !call.endpoint.reads.isEmpty { _ = try call.readableType() }
    self.path = path
    segments = call.pathSegments
    mediaType = call.mediaType
    transaction = Transaction([
      .change(
        objectType: type.name, id: id, path: path, change: try await change(path), precondition: precondition)
    ])
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    response(for: try await data.perform(transaction, for: call))
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    let result = commit.results[0]
    var response = Response(status: result.effect == .created ? .created : .noContent)
    if hasTag { response.fields.append(EntityTag(version: result.objectVersion, mediaType: mediaType)) }
    response.fields.append(realmVersion: commit.version)
    if path.ownerDepth > 0 { response.fields.append("content-location", location(of: result.id)) }
    return response
  }

  /// Returns the path of the place in the object that was changed.
  private func location(of id: Mixed) -> String {
    let own = [path.ownerType, id.urlText] + segments.dropFirst(path.ownerDepth)
    return "/v1/collections/" + own.map(\.percentEncoded).joined(separator: "/")
  }
}

extension ResourcePath {
  /// Whether it ends at a property, not inside one.
  var isProperty: Bool {
    if case .property? = steps.last { true } else { false }
  }
}

extension Mixed {
  /// A primary key as a segment of a URL, before percent-encoding.
  fileprivate var urlText: String {
    switch self {
    case .string(let text): text
    case .int(let int): String(int)
    case .objectID(let id): id.description
    case .uuid(let uuid): uuid.description
    default: ""
    }
  }
}

extension Call {
  /// The value in the content for a place of that type. In BSON a map is the document itself, anything else its one
  /// member `value`.
  fileprivate func part(_ type: PropertyType, _ bytes: [UInt8]) throws -> Value {
    let value = try Content(bytes, as: readableType()).value
    guard contentType == .bson else { return value }
    if case .map = type { return value }
    guard case .document(let document) = value, document.elements.count == 1,
      let part = document["value"]
    else {
      let missing = ValidationProblem(pointer: "/value", .memberMissing)
      throw APIError.invalidObjects([Content.Problem(problem: missing, place: nil)])
    }
    return part
  }

  fileprivate func draft(_ value: Value, at path: ResourcePath) throws(APIError) -> DraftValue {
    try Content.locating { () throws(ValidationError) in
      try path.type.draft(from: value, in: schema, of: path.ownerType)
    }
  }

  /// Values of the elements of a collection.
  func drafts(
    _ values: [Value], of type: PropertyType, in owner: String? = nil
  ) throws(APIError) -> [DraftValue] {
    var drafts: [DraftValue] = []
    for (index, value) in values.enumerated() {
      let draft = try Content.locating(Content.Place(pointer: "/\(index)")) { () throws(ValidationError) in
        try (type.elementType ?? type).draft(from: value, in: schema, of: owner)
      }
      drafts.append(draft)
    }
    return drafts
  }

  fileprivate func integer(_ name: Parameters.Name) throws(APIError) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let integer = Int(text) else { throw .invalidParameter(name) }
    return integer
  }
}
