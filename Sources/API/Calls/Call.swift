import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage

/// The maker of a request: who they are, what they may, and the recording of it.
struct Requester: Sendable {
  let principal: Principal
  /// Nil: everything.
  let permit: Permit?
  /// Nil: nothing does.
  let recording: Recording?
  /// The transaction of a function that it is a part of; nil: none.
  var transaction: FunctionTransaction?
  /// The stores that the request is about.
  var scope = RequestScope()
}

/// A request that has found its endpoint, and what its head says.
///
/// A class, since it is handed on and kept as a whole.
final class Call: Sendable {
  let request: Request
  let endpoint: Endpoint
  /// The schema as the caller knows it, whatever happens to the store's meanwhile, and its generation.
  let schema: Schema
  let generation: Int64
  let parameters: Parameters
  /// The caller.
  let principal: Principal
  /// The rights of the caller; nil: they may see and do everything.
  let permit: Permit?
  /// Records what answers show and transactions change; nil: nothing does.
  let recording: Recording?
  /// The media type of the answer's content.
  let mediaType: MediaType
  let preferences: Preferences
  /// Nil for methods that may be repeated, and where there is none (draft-ietf-httpapi-idempotency-key-header §1).
  let idempotencyKey: IdempotencyKey?
  /// The version of the store that is read, and what of it the caller may see; nil: the present. Where there is one, there is
  /// nothing in it that ``permit`` would have to leave out but for properties.
  let past: PastView?
  /// The transaction of a function that the commands are a part of; nil: none.
  let transaction: FunctionTransaction?
  /// The stores that the request is about.
  let scope: RequestScope
  /// The bounds on what the request may ask for.
  let limits: RequestLimits
  /// The content while it is arriving; nil: all of it came with the head, which is little.
  private let incoming: IncomingContent?
  private let captures: [String]

  /// - Parameters:
  ///   - route: The endpoint, and the segments that stand where its template has braces.
  ///   - state: The schema as the caller knows it, and its generation.
  init(
    _ request: borrowing Request, to route: (endpoint: Endpoint, captures: [String]), by requester: Requester,
    in state: (schema: Schema, generation: Int64), limits: RequestLimits,
    incoming: IncomingContent? = nil
  ) throws {
    self.request = copy request
    (endpoint, captures) = route
    self.incoming = incoming
    self.limits = limits
    past = nil
    principal = requester.principal
    permit = requester.permit
    recording = requester.recording
    transaction = requester.transaction
    scope = requester.scope
    (schema, generation) = state
    try Call.requireUncoded(request)
    let given = endpoint.request.isOpen ? [] : try request.target.parameters()
    parameters = given.isEmpty ? Parameters() : try Parameters(given, known: endpoint.parameters)
    mediaType = try Call.mediaType(accept: request.fields["accept"], of: endpoint)
    if !given.isEmpty, endpoint.answers.contains(.eventStream) {
      let others = mediaType == .eventStream ? Parameters.Name.notOfStreams : Parameters.Name.ofStreams
      try parameters.refuse(others, known: endpoint.parameters)
    }
    preferences = Preferences(request.fields["prefer"])
    let isRepeatable = request.method != .post && request.method != .patch || endpoint.request.isOpen
    let key = isRepeatable ? nil : request.fields["idempotency-key"]
    idempotencyKey = try key.map { text throws(APIError) in try IdempotencyKey(text, of: requester.principal)
    }
  }

  /// The same call in another state of the schema.
  init(_ call: Call, in state: (schema: Schema, generation: Int64)) {
    (request, endpoint, captures) = (call.request, call.endpoint, call.captures)
    (incoming, limits, scope) = (call.incoming, call.limits, call.scope)
    (principal, permit, recording) = (call.principal, call.permit, call.recording)
    transaction = call.transaction
    (schema, generation) = state
    past = call.past
    (parameters, mediaType) = (call.parameters, call.mediaType)
    (preferences, idempotencyKey) = (call.preferences, call.idempotencyKey)
  }

  /// The same call of another store.
  init(
    _ call: Call, in state: (schema: Schema, generation: Int64), under permit: Permit?,
    _ recording: Recording? = nil
  ) {
    (request, endpoint, captures) = (call.request, call.endpoint, call.captures)
    (incoming, limits, scope) = (call.incoming, call.limits, call.scope)
    (principal, transaction) = (call.principal, nil)
    (self.permit, self.recording) = (permit, recording)
    (schema, generation) = (permit?.schema ?? state.schema, state.generation)
    past = nil
    (parameters, mediaType) = (call.parameters, call.mediaType)
    (preferences, idempotencyKey) = (call.preferences, nil)
  }

  /// The same call of the store as it was.
  init(_ call: Call, in past: PastView) {
    guard call.past == nil else { preconditionFailure("a call is of one state of the past") }
    (request, endpoint, captures) = (call.request, call.endpoint, call.captures)
    (incoming, limits, scope) = (call.incoming, call.limits, call.scope)
    (principal, permit, recording) = (call.principal, call.permit?.unconditional, call.recording)
    transaction = call.transaction
    (schema, generation) = (call.schema, call.generation)
    self.past = past
    (parameters, mediaType) = (call.parameters, call.mediaType)
    (preferences, idempotencyKey) = (call.preferences, call.idempotencyKey)
  }

  /// Throws ``APIError/unsupportedContentCoding`` where there is content that is compressed (RFC 9110 §8.4).
  private static func requireUncoded(_ request: borrowing Request) throws(APIError) {
    if case .empty = request.body { return }
    guard let codings = request.fields["content-encoding"] else { return }
    let isUncoded = codings.split(separator: ",").allSatisfy { $0.trimmed.lowercased() == "identity" }
    if !isUncoded { throw .unsupportedContentCoding }
  }

  static func mediaType(accept: String?, of endpoint: Endpoint) throws(APIError) -> MediaType {
    // The values that nearly everybody sends are not worth parsing.
    guard let accept, accept != "*/*" else { return .json }
    let offers = endpoint.answers
    if offers.isEmpty { return .json }
    if let named = offers.first(where: { $0.name == accept }) { return named }
    guard let preferred = Accept(accept).preferred(among: offers) else {
      throw .notAcceptable(offers: offers)
    }
    return preferred
  }

  /// The class that the path names.
  var className: String { captures[0] }

  /// The segment at the first braces of the template.
  var captured: String { captures[0] }

  /// The segment at the last braces of the template; empty where there are none.
  var lastCaptured: String { captures.last ?? "" }

  /// All that the template's braces stand for, as one path.
  var capturedPath: String { captures.joined(separator: "/") }

  /// The segments that stand for `{route}`, behind the app.
  var routeSegments: [String] { Array(captures.dropFirst()) }

  /// The segments behind the object in the path.
  var pathSegments: [String] { Array(captures.dropFirst(2)) }

  /// The class that the path names, which may be embedded.
  func objectType() throws(APIError) -> ObjectType {
    try objectType(named: className)
  }

  private func objectType(named name: String) throws(APIError) -> ObjectType {
    if let type = schema[name] { return type }
    let nearest = EditDistance.nearest(to: name, among: schema.objectTypes.map(\.name))
    throw .unknownClass(name: name, nearest: nearest)
  }

  /// The class that the path names and whose objects have an existence of their own.
  func collectionType() throws -> ObjectType {
    try collectionType(named: className)
  }

  /// The class of that name, whose objects have an existence of their own.
  func collectionType(named name: String) throws -> ObjectType {
    let type = try objectType(named: name)
    guard !type.isEmbedded else { throw APIError.embeddedClass(type.name) }
    return type
  }

  /// Returns the identifier of the object that the path names.
  func identifier(of type: ObjectType) throws(APIError) -> Mixed {
    do {
      return try type.identifier(fromText: captures[1])
    } catch {
      throw .invalidIdentifier(objectType: type.name)
    }
  }

  /// The media type of the content; nil where the request does not say, or names something unknown.
  var contentType: ContentType? {
    request.fields["content-type"].flatMap(ContentType.init)
  }

  /// Returns the media type of the content, one of those that the endpoint reads.
  func readableType() throws(APIError) -> ContentType {
    guard let type = contentType, endpoint.reads.contains(type) else {
      throw .unsupportedMediaType(endpoint.method, reads: endpoint.reads)
    }
    return type
  }

  /// The values of the content, in one of the media types that the endpoint reads.
  func content() async throws -> Content {
    let type = try readableType()
    return try await decode { try Content($0, as: type) }
  }

  /// Decodes the content by `body`: what is large on a thread, so that other clients of the loop do not wait.
  func decode<Decoded: Sendable>(
    atMost size: Int = .max, _ body: ([UInt8]) throws -> Decoded
  ) async throws -> Decoded {
    let bytes = try await bytes(limit: min(size, limits.contentSize))
    guard let incoming, bytes.count > IncomingContent.large else {
      try holdValues(of: bytes)
      return try body(bytes)
    }
    return try await withTaskExecutorPreference(incoming) {
      try holdValues(of: bytes)
      return try body(bytes)
    }
  }

  /// The bytes of the content. What says of itself that it is too large is not waited for. Throws `BodyError`, and
  /// ``GatehouseSharing/BudgetError`` where it is more than the caller's share of the memory.
  func bytes(limit: Int) async throws -> [UInt8] {
    if let length = request.fields["content-length"].flatMap(Int.init), length > limit {
      throw BodyError.tooLarge(limit: limit)
    }
    let bytes = try await request.body.collect(limit: limit) { try hold($0) }
    try didReceiveContent()
    return bytes
  }

  /// Counts `count` bytes of the content as held in memory. Throws ``GatehouseSharing/BudgetError``.
  func hold(_ count: Int) throws(BudgetError) {
    try incoming?.hold(count)
  }

  /// Counts the values of the content as held before they are decoded. Throws ``GatehouseSharing/BudgetError``.
  func holdValues(of bytes: [UInt8]) throws(BudgetError) {
    try incoming?.hold(
      bytes.count,
      valuesTaking: contentType == .csv
        ? ValueCount(ofCellsIn: bytes).memory : ValueCount(of: bytes, isBSON: contentType == .bson).memory)
  }

  /// Called when all of the content has arrived: its sender may have been shut out meanwhile. Throws
  /// ``APIError/unauthorized(_:)``.
  func didReceiveContent() throws {
    try incoming?.didArrive()
  }

  /// The one value of the content, which may have `size` bytes.
  func value(atMost size: Int = .max) async throws -> Value {
    let type = try readableType()
    return try await decode(atMost: size) { try Content($0, as: type) }.value
  }
}

extension Call {
  /// The caller whose share of the server the request takes.
  var caller: Caller { Caller(address: request.peer.client, principal: principal.id) }
}
