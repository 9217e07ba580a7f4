internal import GatehouseBSON
internal import GatehouseOutbound
internal import Synchronization

/// Sends requests to any one of several etcd servers, by the JSON form of their interface (`/v3`).
///
/// Source: <https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/>.
final class EtcdClient: Sendable {
  private struct State {
    /// The address that is tried next.
    var next = 0
    var token: String?
    var isClosed = false
  }

  private let options: EtcdOptions
  private let client: WaitingClient
  private let state = Mutex(State())

  init(_ options: EtcdOptions) {
    precondition(!options.addresses.isEmpty, "a log has servers")
    self.options = options
    client = WaitingClient(authorities: options.authorities, scheduler: options.scheduler)
  }

  func close() { state.withLock { $0.isClosed = true } }

  var isClosed: Bool { state.withLock(\.isClosed) }

  enum Answer {
    case answered(Document)
    /// No server has got it.
    case unsent
    /// A server may have done it.
    case unanswered
    case unauthorized
  }

  /// Sends a request to the server that answered last, or to the next one where that cannot be reached.
  func send(_ path: String, _ content: Document, limit: Duration) -> Answer {
    for _ in options.addresses {
      let answer = send(path, content, to: address, limit: limit, mayLogIn: true)
      switch answer {
      case .unsent: state.withLock { $0.next += 1 }
      case .unanswered:
        state.withLock { $0.next += 1 }
        return answer
      case .answered, .unauthorized: return answer
      }
    }
    return .unsent
  }

  private var address: ServerAddress {
    options.addresses[state.withLock(\.next) % options.addresses.count]
  }

  /// Sends a request to one server.
  func send(
    _ path: String, _ content: Document, to address: ServerAddress, limit: Duration, mayLogIn: Bool
  ) -> Answer {
    let (token, isClosed) = state.withLock { ($0.token, $0.isClosed) }
    guard !isClosed else { return .unsent }
    let result = client.send(request(path, content, to: address, token: token, limit: limit))
    switch result {
    case .success(let response):
      let document = (try? Value(json: response.content, as: .plain))?.document
      if response.status == 200, let document { return .answered(document) }
      guard EtcdClient.isUnauthorized(response.status, document) else { return .unanswered }
      guard mayLogIn, logIn(at: address, limit: limit) else { return .unauthorized }
      return send(path, content, to: address, limit: limit, mayLogIn: false)
    case .failure(.unreachable), .failure(.unresolved), .failure(.untrusted): return .unsent
    case .failure: return .unanswered
    }
  }

  func request(
    _ path: String, _ content: Document, to address: ServerAddress, token: String?, limit: Duration
  ) -> ClientRequest {
    var request = ClientRequest(
      "POST", "\(options.usesTLS ? "https" : "http")://\(address)/v3/\(path)",
      fields: [HeaderField("Content-Type", "application/json")]
        + (token.map { [HeaderField("Authorization", $0)] } ?? []),
      content: .bytes(Value.document(content).json))
    request.timeout = limit
    request.connectTimeout = .seconds(1)
    // A page of entries, a third longer in base 64.
    request.responseLimit = 16 << 20
    return request
  }

  /// Has a server watch keys, and calls `changed` with each sign of it that anything has changed; ends with the task.
  func watch(_ content: Document, changed: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    let request = request(
      "watch", content, to: address, token: state.withLock(\.token), limit: .seconds(60))
    return client.stream(request, received: changed)
  }

  private static func isUnauthorized(_ status: Int, _ answer: Document?) -> Bool {
    // gRPC's UNAUTHENTICATED and PERMISSION_DENIED; a user is asked for by INVALID_ARGUMENT.
    let code = answer?["code"]?.number
    return status == 401 || status == 403 || code == 16 || code == 7
      || (answer?["error"]?.text ?? "").contains("user name is empty")
  }

  private func logIn(at address: ServerAddress, limit: Duration) -> Bool {
    guard let user = options.user else { return false }
    let content: Document = ["name": .string(user.name), "password": .string(user.password)]
    let result = client.send(
      request("auth/authenticate", content, to: address, token: nil, limit: limit))
    guard case .success(let response) = result, response.status == 200,
      let token = (try? Value(json: response.content, as: .plain))?.document?["token"]?.text
    else { return false }
    state.withLock { $0.token = token }
    return true
  }
}
