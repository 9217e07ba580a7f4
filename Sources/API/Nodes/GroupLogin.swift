import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage

/// The login of a client that shows its credential in fields of its own, for a group that another node of the cluster may lead: its session begins
/// in the app's own store, where that is led.
struct GroupLogin {
  /// The gateway of the app.
  let main: Gateway
  let cluster: ClusterAccess
  let credential: HeaderCredential

  /// Nil: there is no cluster, or the request shows no such credential.
  init?(of request: Request, at main: Gateway) {
    guard let cluster = main.cluster, let credential = main.headerCredential(of: request) else { return nil }
    (self.main, self.cluster, self.credential) = (main, cluster, credential)
  }

  /// Has a request show an access token in the place of the credential. Returns the answer where that is not good. Throws
  /// ``APIError/notLeader`` where nobody can say so, and what logging in throws.
  func perform(for request: inout Request) async throws -> Response? {
    try main.admit(request)
    let token: String
    if let known = try main.knownToken(for: credential) {
      token = known
    } else if cluster.standing().isLeading {
      token = try await main.token(for: credential, of: request)
    } else {
      let (login, content) = message(for: request)
      switch await cluster.forward(login, content) {
      case .answered(var answer):
        guard let text = answer.accessToken else {
          main.policies.cors?.apply(to: &answer, for: request)
          return answer
        }
        token = text
        main.headerLogins.remember(token, for: credential)
        if let entry = answer.logEntry { _ = await main.context.data.hasCome(toEntry: entry) }
      case .leading: token = try await main.token(for: credential, of: request)
      case .unreachable, .unknown: throw APIError.notLeader
      }
    }
    HeaderCredential.replace(in: &request.fields, by: token)
    // The node that leads the group may not have the session yet.
    if let entry = main.context.data.store.replicationPoint?.sequence { request.noteLogEntry(entry) }
    return nil
  }

  /// Returns a request to log in by the credential, and its content.
  private func message(for request: Request) -> (Request, content: [UInt8]) {
    let app = request.target.path.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
    let (provider, content) = credential.login
    let path = "\(Endpoint.appServicesPath)/app/\(app)/auth/providers/\(provider)/login"
    var login = request
    (login.method, login.target, login.body) = (.post, Target(path: path, query: nil), .empty)
    login.fields = Fields(request.fields.lines.filter { ["host", "user-agent"].contains($0.name) })
    login.fields.append("content-type", ContentType.json.name)
    login.noteLogEntry(0)
    return (login, Value.document(content).plainJSON)
  }
}

extension Response {
  /// The access token in the answer to a login; nil: it is another answer.
  fileprivate var accessToken: String? {
    guard status == .ok, case .bytes(let bytes) = body,
      case .document(let members)? = try? Value(json: bytes),
      case .string(let token)? = members["access_token"]
    else { return nil }
    return token
  }
}
