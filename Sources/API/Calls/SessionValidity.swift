import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage

/// Whether a caller is still one, and on what that depends: a stream may outlive the credential that opened it.
struct SessionValidity: Sendable {
  let lease: StreamLease
  /// The reason why they are none any more; nil: they are.
  let end: EndReason?
}

extension Context {
  /// Returns whether a caller is still valid, and on what that depends. Called on the loop.
  func validity(of principal: Principal) -> SessionValidity {
    var owners: [StreamLease.Owner] = principal.role.isBuiltIn ? [] : [.roles]
    switch principal.kind {
    case .anyone: owners.append(.anyone)
    case .key(let id): owners.append(.key(id))
    // Where there is no role for users, they have a built-in one until there is.
    case .user(let id): owners = [.roles, .user(id)]
    }
    if let token = principal.token { owners.append(.session(token.session)) }
    return SessionValidity(
      lease: StreamLease(owners: owners, deadline: principal.token.flatMap(deadline)), end: end(of: principal)
    )
  }

  /// Breaks a long answer off where its caller is none any more. That a token has expired meanwhile does not matter:
  /// the answer has an end of its own. Throws ``APIError/unauthorized(_:)``.
  func requireValidity(of principal: Principal) throws(APIError) {
    guard end(of: principal) == nil else { throw .unauthorized(.unknown) }
  }

  /// Returns what counts and checks a content that is still arriving; nil: all of it is there.
  func incomingContent(
    of request: Request, to endpoint: Endpoint, by principal: Principal
  ) -> IncomingContent? {
    guard !request.body.isWhole else { return nil }
    let start = clock()
    // Where it takes more than a second, its sender may have been shut out meanwhile.
    let needsCheck = endpoint.requires != .nothing
    return IncomingContent(
      for: Caller(address: request.peer.client, principal: principal.id), in: store, on: decoding
    ) {
      if needsCheck, self.clock() - start > 1_000_000_000 { try self.requireValidity(of: principal) }
    }
  }

  private func deadline(of token: UserToken) -> (time: UInt64, reason: EndReason)? {
    guard let users else { return nil }
    let seconds = max(0, token.end - users.clock().seconds)
    return (clock() + UInt64(seconds) * 1_000_000_000, .tokenExpired)
  }

  private func end(of principal: Principal) -> EndReason? {
    if let token = principal.token, let users,
      let end = users.sessions.end(of: token, UserRecords(reader: reader))
    {
      return end
    }
    return access.end(of: principal)
  }
}

extension RequestBody {
  /// Whether it can be read once more.
  var isWhole: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream: false
    }
  }
}
