import Access
import BSON
import HTTP

/// A request in App Services' protocol that is about users: logins, sessions, accounts, keys.
struct AppServicesRequest: Sendable {
  /// Bytes of a content.
  private static let largest = 1 << 20

  let endpoint: Endpoint
  /// What stands in the path where it may be anything, but for the app: any will do.
  private let captured: String
  /// The bearer token; nil: none.
  private let token: String?
  /// What limits go by.
  let client: UInt64
  let body: Document
  private let links: Bool
  /// The URL of the server, as the client knows it, without scheme.
  private let authority: String
  private let isSecure: Bool

  init(_ call: Call) async throws {
    endpoint = call.endpoint
    captured = call.lastCaptured
    token = call.request.fields["authorization"].flatMap(Credential.bearerToken(in:))
    client = call.request.peer.client
    links = try call.parameters.flag(.link)
    authority = call.request.fields["host"] ?? "localhost"
    isSecure = call.request.isSecure
    guard !endpoint.reads.isEmpty else {
      body = [:]
      return
    }
    _ = try call.readableType()
    let bytes = try await call.bytes(limit: AppServicesRequest.largest)
    guard case .document(let body)? = try? Value(json: bytes) else { throw UserError.malformedContent }
    self.body = body
  }

  /// `functions` decide where the providers say so.
  func response(from users: Users?, _ functions: AccountFunctions) async throws -> Response {
    if endpoint == .appLocation { return answer(location) }
    guard let users else { throw UserError.unknownProvider }
    switch endpoint {
    case .appLogin: return try await logIn(users, functions)
    case .appProfile: return answer(.document(try await users.profile(try requireToken())))
    case .appRefresh:
      let access = try await users.refresh(try requireToken())
      return answer(.document(["access_token": .string(access)]), .created)
    case .appLogOut: try await users.logOut(try requireToken())
    case .appDeleteUser: try await users.deleteUser(try requireToken())
    case .appListKeys, .appCreateKey, .appReadKey, .appDeleteKey, .appEnableKey, .appDisableKey:
      return try await manageKeys(users)
    default: return try await manageAccount(users, functions)
    }
    return Response(status: .noContent)
  }

  private var location: Value {
    let (http, webSocket) = isSecure ? ("https", "wss") : ("http", "ws")
    return .document([
      "deployment_model": .string("LOCAL"), "location": .string("US-VA"),
      "hostname": .string("\(http)://\(authority)"), "ws_hostname": .string("\(webSocket)://\(authority)"),
    ])
  }

  private func requireToken() throws(UserError) -> String {
    guard let token else { throw .noToken }
    return token
  }

  private func logIn(_ users: Users, _ functions: AccountFunctions) async throws -> Response {
    let payload = try payload()
    let login =
      links
      ? try await users.link(payload, to: try requireToken(), device: device, from: client, functions)
      : try await users.logIn(payload, device: device, from: client, functions)
    return answer(
      .document([
        "access_token": .string(login.access), "refresh_token": .string(login.refresh),
        "user_id": .string(login.user.description), "device_id": .string(login.device.description),
      ]))
  }

  private func payload() throws(UserError) -> LoginPayload {
    switch captured {
    case User.Identity.anonymous: .anonymous
    case User.Identity.password: .password(email: try text("username"), password: try text("password"))
    case User.Identity.apiKey: .key(try text("key"))
    case User.Identity.customToken: .customToken(try text("token"))
    // What the client says of itself is not the function's business.
    case User.Identity.customFunction: .customFunction(Document(body.elements.filter { $0.key != "options" }))
    default: throw .unknownProvider
    }
  }

  /// What the client was told it is, the last time.
  private var device: ObjectID? {
    guard case .document(let options)? = body["options"], case .document(let device)? = options["device"]
    else {
      return nil
    }
    let id: ObjectID? =
      switch device["deviceId"] {
      case .objectID(let id)?: id
      case .string(let text)?: ObjectID(text)
      default: nil
      }
    return id == ObjectID(high: 0, low: 0) ? nil : id
  }

  private func text(_ name: String) throws(UserError) -> String {
    guard case .string(let text)? = body[name], !text.isEmpty else { throw .missingText(name) }
    return text
  }

  /// What the client has for the function that resets passwords.
  private func arguments() throws(UserError) -> [Value] {
    switch body["arguments"] {
    case nil, .null?: []
    case .array(let values)?: values
    case _?: throw .malformedContent
    }
  }

  private func manageKeys(_ users: Users) async throws -> Response {
    let token = try requireToken()
    switch endpoint {
    case .appListKeys:
      return answer(.array(try await users.keys(token).map { .document($0.summary) }))
    case .appCreateKey:
      let (key, text) = try await users.makeKey(try text("name"), token)
      var summary = key.summary
      summary.elements.insert(Document.Element(key: "key", value: .string(text)), at: 1)
      return answer(.document(summary), .created)
    default: break
    }
    guard let id = ObjectID(captured) else { throw UserError.unknownKey }
    switch endpoint {
    case .appReadKey: return answer(.document(try await users.key(id, token).summary))
    case .appDeleteKey: try await users.deleteKey(id, token)
    default: try await users.setKey(id, isDisabled: endpoint == .appDisableKey, token)
    }
    return Response(status: .noContent)
  }

  private func manageAccount(_ users: Users, _ functions: AccountFunctions) async throws -> Response {
    switch endpoint {
    case .appRegister:
      try await users.register(
        email: try text("email"), password: try text("password"), from: client, functions)
      return answer(.document([:]), .created)
    case .appConfirm:
      try await users.confirm(token: try text("token"), tokenID: try text("tokenId"), from: client)
    case .appReset:
      try await users.reset(
        token: try text("token"), tokenID: try text("tokenId"), password: try text("password"), from: client)
    case .appCallConfirmation:
      try await users.callConfirmation(of: try text("email"), from: client, functions)
    case .appCallReset:
      try await users.callReset(
        of: try text("email"), password: try text("password"), try arguments(), from: client, functions)
    case .appSendConfirmation:
      try await users.refuseToSend(.confirm, to: try text("email"), from: client)
    default: try await users.refuseToSend(.reset, to: try text("email"), from: client)
    }
    // No content: no Content-Type either, or clients try to read it.
    return Response(status: .ok)
  }

  /// Tokens are in some of them, and secrets.
  private func answer(_ value: Value, _ status: Status = .ok) -> Response {
    var response = Response(appServices: status, value)
    response.fields.append("cache-control", "no-store")
    return response
  }
}
