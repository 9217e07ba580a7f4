import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// The keys that a user has made for themselves.
extension Endpoint {
  private static let keys = "\(appServicesPath)/auth/api_keys"

  static let appListKeys = ofUsers("appListKeys", .get(keys)) { request, users in
    let keys = try await users.keys.list(try request.requireToken())
    return Response(privateAppServices: .ok, .array(keys.map { .document($0.summary) }))
  }

  static let appCreateKey = ofUsers("appCreateKey", .post(keys, reads: [.json])) { request, users in
    let token = try request.requireToken()
    let (key, text) = try await users.keys.make(try request.text("name"), token)
    var summary = key.summary
    summary.elements.insert(Document.Element(key: "key", value: .string(text)), at: 1)
    return Response(privateAppServices: .created, .document(summary))
  }

  static let appReadKey = ofUsers("appReadKey", .get("\(keys)/{key}")) { request, users in
    let (id, token) = try request.key()
    return Response(privateAppServices: .ok, .document(try await users.keys.key(id, token).summary))
  }

  static let appDeleteKey = ofUsers("appDeleteKey", .delete("\(keys)/{key}")) { request, users in
    let (id, token) = try request.key()
    try await users.keys.delete(id, token)
    return Response(status: .noContent)
  }

  static let appEnableKey = ofUsers("appEnableKey", .put("\(keys)/{key}/enable", reads: [])) {
    request, users in
    let (id, token) = try request.key()
    try await users.keys.set(id, isDisabled: false, token)
    return Response(status: .noContent)
  }

  static let appDisableKey = ofUsers("appDisableKey", .put("\(keys)/{key}/disable", reads: [])) {
    request, users in
    let (id, token) = try request.key()
    try await users.keys.set(id, isDisabled: true, token)
    return Response(status: .noContent)
  }
}

extension AppServicesRequest {
  /// The key that the path names, and the token of the user who asks for it.
  fileprivate func key() throws(UserError) -> (id: ObjectID, token: String) {
    let token = try requireToken()
    guard let id = ObjectID(call.lastCaptured) else { throw .unknownKey }
    return (id, token)
  }
}
