import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP

extension Feature {
  /// Scopes, events and metadata that clients record by themselves, beside what is recorded of them.
  static let audit = Feature(endpoints: [
    .beginScope, .commitScope, .cancelScope, .recordEvent, .updateMetadata,
  ])
}

extension Endpoint {
  static let recordEvent = Endpoint(
    "recordEvent", .post("/v1/audit/events", reads: ContentType.ofValues), requires: .recordingEvents,
    records: .customEvents, using: \.audit
  ) { call, audit in
    let largest = audit.recorder?.options.largestCustomEvent ?? .max
    let value = try await call.value(atMost: largest)
    let members = try AuditMembers(value, known: ["activity", "event", "data"])
    let activity = try members.activity()
    let (type, data) = (try members.optionalText("event"), try members.optionalText("data"))
    try await call.recorder(audit).recordEvent(
      activity: activity, eventType: type, data: data, from: call.eventSource,
      adding: audit.details(of: call.request, by: call.principal))
    return Response(status: .noContent)
  }

  /// Replaces the metadata that every event has.
  static let updateMetadata = Endpoint(
    "updateMetadata", .put("/v1/audit/metadata", reads: ContentType.ofValues), requires: .administration,
    using: \.audit
  ) { call, audit in
    let members = try AuditMembers(try await call.value(), known: nil)
    let metadata = try Metadata(members.texts())
    try call.recorder(audit).updateMetadata(metadata)
    return Response(status: .noContent)
  }
}

extension Call {
  /// Returns the recorder. An answer would be kept with a transaction of the client's, of which there is none: throws
  /// ``APIError/invalidPrecondition(_:)`` for a request with an Idempotency-Key, and ``AuditError/disabled``.
  func recorder(_ audit: AuditRecording) throws -> Recorder {
    guard idempotencyKey == nil else { throw APIError.invalidPrecondition("Idempotency-Key") }
    guard let recorder = audit.recorder else { throw AuditError.disabled }
    return recorder
  }

  /// The source of an event of the caller's own.
  fileprivate var eventSource: EventSource {
    let owner = principal.id
    return EventSource(
      caller: owner.isEmpty ? "anyone" : owner, account: principal.auditAccount(at: request.peer))
  }
}
