import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

/// Finds out who sends a request to an HTTPS endpoint whose function runs with the rights of its caller: by an access token or a
/// key in `Authorization`, or by the credential of a provider in fields of App Services' own.
struct RequestSender {
  let request: Request
  let users: UserAccess
  let endpoint: HTTPEndpoint

  /// Returns the sender; without a credential, whoever needs none. Throws ``APIError/unauthorized(_:)`` where that is
  /// nobody, and what a login throws.
  func principal() async throws -> Principal {
    let keyring = users.access.current
    if let field = request.fields["authorization"] { return try await principal(showing: field) }
    guard let anyone = keyring.anyone else { throw APIError.unauthorized(.missing) }
    return anyone
  }

  private func principal(showing field: String) async throws -> Principal {
    let control = users.access
    guard let token = Credential.bearerToken(in: field) else { throw UserError.noToken }
    if let known = users.users, token.contains(".") {
      let (user, shown) = try await known.sessions.store.read { [sessions = known.sessions] records in
        try sessions.user(showing: token, .access, records)
      }
      return principal(of: user, token: shown)
    }
    try control.requirePatience(of: request.peer.client)
    guard let principal = control.current.principal(showing: token) else {
      throw control.error(countingFailureFrom: request.peer.client)
    }
    return principal
  }

  private func principal(of user: User, token: UserToken? = nil) -> Principal {
    var user = user
    if !endpoint.fetchesCustomData { user.customData = [:] }
    let control = users.access
    let principal = Principal(
      .user(id: user.id.description), role: control.current.role(ofUserWith: user.roles), values: user.values,
      token: token)
    return principal.role.usesTime ? principal.asking(at: control.clock()) : principal
  }
}
