import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// Users, as the operator sees them: accounts are listed, confirmed and given tokens for new passwords, users are shut
// out and let in again.
extension Endpoint {
  static let listAccounts = Endpoint(
    "listAccounts", .get("/v1/accounts", parameters: [.limit, .cursor]), answers: MediaType.forOne,
    requires: .administration, using: \.users
  ) { call, users in
    let page = PageLimit(.json, call.limits)
    let limit = try call.parameters[.limit].map(page.limit) ?? call.limits.defaultPageSize
    let users = try users.require()
    let (accounts, next) = try await users.accounts.list(after: call.parameters[.cursor] ?? "", limit: limit)
    let list = Value.array(accounts.map { .document($0) })
    var response = Response(status: .ok, content: call.mediaType.bytes(of: list), call.mediaType)
    if let next {
      let (size, cursor) = (Parameters.Name.limit.rawValue, Parameters.Name.cursor.rawValue)
      let query = "\(size)=\(limit)&\(cursor)=\(next.percentEncoded)"
      response.fields.append("link", "</v1/accounts?\(query)>; rel=\"next\"")
    }
    return response
  }

  static let confirmAccount = Endpoint(
    "confirmAccount", .put("/v1/accounts/{email}/confirm", reads: []), requires: .administration,
    using: \.users
  ) { call, users in
    try await users.require().accounts.confirm(email: call.captured)
    return Response(status: .noContent)
  }

  static let resetAccount = Endpoint(
    "resetAccount", .put("/v1/accounts/{email}/reset", reads: []), answers: MediaType.forOne,
    requires: .administration, using: \.users
  ) { call, users in
    let (token, id) = try await users.require().accounts.expect(.reset, of: call.captured)
    let tokens = Value.document(["token": .string(token), "tokenId": .string(id)])
    var response = Response(status: .ok, content: call.mediaType.bytes(of: tokens), call.mediaType)
    response.fields.append("cache-control", "no-store")
    return response
  }

  static let enableUser = Endpoint(
    "enableUser", .put("/v1/users/{user}/enable", reads: []), requires: .administration, using: \.users
  ) { call, users in try await call.setUser(isDisabled: false, users) }

  static let disableUser = Endpoint(
    "disableUser", .put("/v1/users/{user}/disable", reads: []), requires: .administration, using: \.users
  ) { call, users in try await call.setUser(isDisabled: true, users) }
}

extension Call {
  /// Shuts the user out whom the path names, or lets them in again.
  fileprivate func setUser(isDisabled: Bool, _ users: UserAccess) async throws -> Response {
    try await users.require().profiles.set(try userID(), isDisabled: isDisabled)
    return Response(status: .noContent)
  }

  /// Returns the identifier of the user whom the path names. Throws ``UserError/unknownUser`` if the text is none.
  func userID() throws(UserError) -> ObjectID {
    guard let id = ObjectID(captured) else { throw .unknownUser }
    return id
  }
}
