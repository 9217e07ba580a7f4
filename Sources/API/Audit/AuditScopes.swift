import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP

// Scopes, which a client begins, and ends with or without an event of what it read and wrote meanwhile.
extension Endpoint {
  static let beginScope = Endpoint(
    "beginScope", .post("/v1/audit/scopes", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .someRole, using: \.audit
  ) { call, audit in
    let value = try await call.value()
    let activity = try AuditMembers(value, known: ["activity"]).activity()
    let recorder = try call.recorder(audit)
    let scope = try recorder.beginScope(
      activity: activity, for: call.caller,
      adding: audit.details(of: call.request, by: call.principal))
    let content = Value.document(["id": .int64(Int64(scope.id)), "activity": .string(activity)])
    var response = Response(status: .created, content: call.mediaType.bytes(of: content), call.mediaType)
    response.fields.append("location", "/v1/audit/scopes/\(scope.id)")
    return response
  }

  static let commitScope = Endpoint(
    "commitScope", .post("/v1/audit/scopes/{id}/commit", reads: ContentType.ofValues), requires: .someRole,
    using: \.audit
  ) { call, audit in
    let id = try call.scopeID()
    try await call.recorder(audit).scope(id, of: call.principal.id).commit()
    return Response(status: .noContent)
  }

  /// Ends a scope without events.
  static let cancelScope = Endpoint(
    "cancelScope", .post("/v1/audit/scopes/{id}/cancel", reads: ContentType.ofValues), requires: .someRole,
    using: \.audit
  ) { call, audit in
    let id = try call.scopeID()
    try call.recorder(audit).scope(id, of: call.principal.id).cancel()
    return Response(status: .noContent)
  }
}

extension Call {
  fileprivate func scopeID() throws(APIError) -> Int {
    // There is nothing to read, but web pages send no such media type without asking first (CrossSiteTests).
    _ = try readableType()
    // An id that none can be is that of no scope in progress; a route that does not exist would be misleading.
    guard let id = Int(captured), id > 0 else { throw .routeNotFound }
    return id
  }
}
