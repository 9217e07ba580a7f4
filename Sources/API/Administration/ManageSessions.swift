import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// The sessions of a user, as the operator sees them.
extension Endpoint {
  static let listSessions = Endpoint(
    "listSessions", .get("/v1/users/{user}/sessions"), answers: MediaType.forOne, requires: .administration,
    using: \.users
  ) { call, users in
    let sessions = try await users.require().sessions.list(of: try call.userID())
    let list = Value.array(sessions.map { .document($0.notation) })
    return Response(status: .ok, content: call.mediaType.bytes(of: list), call.mediaType)
  }

  /// Ends a session: its tokens are none from then on, and its event streams end.
  static let endSession = Endpoint(
    "endSession", .delete("/v1/users/{user}/sessions/{session}"), requires: .administration, using: \.users
  ) { call, users in
    guard let user = ObjectID(call.captured), let session = ObjectID(call.lastCaptured) else {
      throw APIError.sessionNotFound
    }
    do {
      try await users.require().sessions.end(session, of: user)
    } catch UserError.noSession {
      throw APIError.sessionNotFound
    }
    return Response(status: .noContent)
  }
}

extension Session {
  fileprivate var notation: Document {
    var document: Document = [
      "id": .string(id.description), "device": .string(device.description),
      "created": .string(created.description),
      "used": .string(used.description),
    ]
    if let key { document.append("key", .string(key.description)) }
    return document
  }
}
