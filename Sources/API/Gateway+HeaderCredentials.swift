import GatehouseAccess
import GatehouseFunctions
import GatehouseHTTP

// Clients of the Data API, and of HTTPS endpoints whose functions have a caller, log in with each request: by a key, by address and
// password, or by a token of somebody else's.
extension Gateway {
  private static let path = "/app/"

  /// The credential in fields of its own that a request shows; nil: none, or one that is not looked for there.
  func headerCredential(of request: Request) -> HeaderCredential? {
    guard request.target.path.hasPrefix(Gateway.path), let credential = HeaderCredential(request.fields),
      needsCaller(request)
    else { return nil }
    return credential
  }

  /// Whether a request below ``path`` is done with the rights of its caller. Senders of webhooks have fields of such names for
  /// proofs of their own.
  private func needsCaller(_ request: Request) -> Bool {
    guard let segments = try? request.target.segments(), segments.count > 3, segments[2] == "endpoint" else {
      return false
    }
    if segments[3] == "data", segments.count > 4, segments[4] == "v1" { return true }
    let route = segments[3...].map { "/\($0)" }.joined()
    guard let endpoint = context.users.endpoints.endpoint(for: request.method, at: route),
      let function = try? context.functions.host.function(named: endpoint.function)
    else { return false }
    return function.needsCaller
  }

  /// Answers a request as the one that shows an access token in its place.
  func answer(
    _ request: Request, loggingInBy credential: HeaderCredential, in scope: RequestScope
  ) async -> Response {
    context.data.policies.refresh()
    var failure: any Error
    do {
      try admit(request)
      var request = request
      let token = try await token(for: credential, of: request)
      request.fields.append("authorization", "Bearer \(token)")
      return await respond(to: request, as: nil, in: scope)
    } catch {
      failure = error
    }
    // Who cannot log in is counted by the address.
    var progress = Progress(in: scope)
    do throws(APIError) { try count(request, by: nil, &progress) } catch { failure = error }
    var response = await respond(to: request, failure: failure, progress)
    policies.cors?.apply(to: &response, for: request)
    return response
  }

  func token(for credential: HeaderCredential, of request: Request) async throws -> String {
    if let token = try knownToken(for: credential) { return token }
    let login = try await context.users.require().logins.logIn(
      credential.payload, device: nil, from: request.peer.client,
      context.functions.accountFunctions(for: request))
    headerLogins.remember(login.access, for: credential)
    return login.access
  }

  /// Returns what a request may show that has the credential, without a new login; nil: there is no such token.
  func knownToken(for credential: HeaderCredential) throws -> String? {
    // A key of the gateway's is shown as it is.
    if case .key(let key) = credential, APIKey.Token(key) != nil { return key }
    return headerLogins.token(for: credential, of: try context.users.require(), context.data.accounts)
  }
}
