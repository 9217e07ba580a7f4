import Access
import Audit
import BSON
import HTTP

/// What a client asks of the recorder.
struct AuditCommand: Sendable {
  private enum Action: Sendable {
    case begin(activity: String)
    case commit(Int)
    case cancel(Int)
    case event(activity: String, type: String?, data: String?)
    case metadata(Metadata)
  }

  private let action: Action
  private let details: Metadata
  private let owner: String
  /// Who stores an event of their own.
  private let source: EventSource
  private let mediaType: MediaType

  /// POST of a scope.
  init(beginning call: Call, for gateway: Gateway) async throws {
    let members = try AuditMembers(
      try await call.value(limit: gateway.limits.contentSize), known: ["activity"])
    try self.init(call, gateway, .begin(activity: try members.activity()))
  }

  /// POST of a scope's end.
  init(committing call: Call, for gateway: Gateway) throws {
    try self.init(call, gateway, .commit(try AuditCommand.id(call)))
  }

  /// POST of a scope's end without events.
  init(cancelling call: Call, for gateway: Gateway) throws {
    try self.init(call, gateway, .cancel(try AuditCommand.id(call)))
  }

  /// POST of an event.
  init(recording call: Call, for gateway: Gateway) async throws {
    let size = gateway.recorder?.options.largestCustomEvent ?? .max
    let value = try await call.value(limit: min(size, gateway.limits.contentSize))
    let members = try AuditMembers(value, known: ["activity", "event", "data"])
    let activity = try members.activity()
    try self.init(
      call, gateway,
      .event(
        activity: activity, type: try members.optionalText("event"), data: try members.optionalText("data")))
  }

  /// PUT of the metadata.
  init(updating call: Call, for gateway: Gateway) async throws {
    let members = try AuditMembers(try await call.value(limit: gateway.limits.contentSize), known: nil)
    try self.init(call, gateway, .metadata(try Metadata(members.texts())))
  }

  private init(_ call: Call, _ gateway: Gateway, _ action: Action) throws(APIError) {
    // An answer is kept with a transaction of the client's, of which there is none.
    guard call.idempotencyKey == nil else { throw .invalidPrecondition("Idempotency-Key") }
    self.action = action
    details = gateway.details(of: call.request, by: call.principal)
    owner = call.principal.id
    source = EventSource(
      caller: owner.isEmpty ? "anyone" : owner,
      // Whoever shows no credential is told apart by where they are.
      account: owner.isEmpty ? "\(call.request.peer.client)" : owner)
    mediaType = call.mediaType
  }

  private static func id(_ call: Call) throws(APIError) -> Int {
    // There is nothing to read, but web pages send no such media type without asking first (CrossSiteTests).
    _ = try call.readableType()
    // An id that none can be is that of no scope in progress; a route that does not exist would be misleading.
    guard let id = Int(call.className), id > 0 else { throw .routeNotFound }
    return id
  }

  func response(from recorder: Recorder) async throws -> Response {
    switch action {
    case .begin(let activity):
      let scope = try recorder.beginScope(activity: activity, owner: owner, adding: details)
      let content = Value.document(["id": .int64(Int64(scope.id)), "activity": .string(activity)])
      var response = Response(status: .created, content: mediaType.bytes(of: content), mediaType)
      response.fields.append("location", "/v1/audit/scopes/\(scope.id)")
      return response
    case .commit(let id): try await recorder.scope(id, of: owner).commit()
    case .cancel(let id): try recorder.scope(id, of: owner).cancel()
    case .event(let activity, let type, let data):
      try await recorder.recordEvent(
        activity: activity, eventType: type, data: data, from: source, adding: details)
    case .metadata(let metadata): recorder.updateMetadata(metadata)
    }
    return Response(status: .noContent)
  }
}

/// The members of a document, all of which are texts.
private struct AuditMembers {
  private let document: Document

  /// Throws ``APIError/invalidAuditContent(_:)``. `known` are the members that there may be; nil: any.
  init(_ value: Value, known: Set<String>?) throws(APIError) {
    guard case .document(let document) = value else { throw .invalidAuditContent(pointer: "") }
    for element in document.elements where known?.contains(element.key) == false {
      throw .invalidAuditContent(pointer: AuditMembers.pointer(element.key))
    }
    self.document = document
  }

  func text(_ name: String) throws(APIError) -> String {
    guard let text = try optionalText(name) else {
      throw .invalidAuditContent(pointer: AuditMembers.pointer(name))
    }
    return text
  }

  func optionalText(_ name: String) throws(APIError) -> String? {
    switch document[name] {
    case .string(let text)?: return text
    case nil, .null?: return nil
    case _?: throw .invalidAuditContent(pointer: AuditMembers.pointer(name))
    }
  }

  /// What is done: a line of text, which each event of it bears.
  func activity() throws(APIError) -> String {
    let text = try text("activity")
    guard text.utf8.count <= Scope.longestActivity else {
      throw .invalidAuditContent(pointer: AuditMembers.pointer("activity"))
    }
    return text
  }

  func texts() throws(APIError) -> [(key: String, value: String)] {
    var texts: [(key: String, value: String)] = []
    for element in document.elements {
      guard case .string(let text) = element.value else {
        throw .invalidAuditContent(pointer: AuditMembers.pointer(element.key))
      }
      texts.append((element.key, text))
    }
    return texts
  }

  private static func pointer(_ name: String) -> String {
    "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}
