import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// Accounts of the provider `local-userpass`. Where there is no content in an answer, there is no Content-Type either,
// or clients try to read it.
extension Endpoint {
  private static let accounts = "\(appServicesPath)/app/{app}/auth/providers/local-userpass"

  static let appRegister = ofUsers("appRegister", .post("\(accounts)/register", reads: [.json])) {
    request, users in
    try await users.accounts.register(
      email: try request.text("email"), password: try request.text("password"), from: request.client,
      request.functions)
    return Response(privateAppServices: .created, .document([:]))
  }

  static let appConfirm = ofUsers("appConfirm", .post("\(accounts)/confirm", reads: [.json])) {
    request, users in
    try await users.accounts.confirm(
      token: try request.text("token"), tokenID: try request.text("tokenId"), from: request.client)
    return Response(status: .ok)
  }

  static let appSendConfirmation = ofUsers(
    "appSendConfirmation", .post("\(accounts)/confirm/send", reads: [.json])
  ) { request, users in
    try await users.accounts.send(.confirm, to: try request.text("email"), from: request.client)
    return Response(status: .ok)
  }

  static let appCallConfirmation = ofUsers(
    "appCallConfirmation", .post("\(accounts)/confirm/call", reads: [.json])
  ) { request, users in
    try await users.accounts.callConfirmation(
      of: try request.text("email"), from: request.client, request.functions)
    return Response(status: .ok)
  }

  static let appReset = ofUsers("appReset", .post("\(accounts)/reset", reads: [.json])) { request, users in
    try await users.accounts.reset(
      token: try request.text("token"), tokenID: try request.text("tokenId"),
      password: try request.text("password"), from: request.client)
    return Response(status: .ok)
  }

  static let appSendReset = ofUsers("appSendReset", .post("\(accounts)/reset/send", reads: [.json])) {
    request, users in
    try await users.accounts.send(.reset, to: try request.text("email"), from: request.client)
    return Response(status: .ok)
  }

  static let appCallReset = ofUsers("appCallReset", .post("\(accounts)/reset/call", reads: [.json])) {
    request, users in
    try await users.accounts.callReset(
      of: try request.text("email"), password: try request.text("password"), try request.arguments(),
      from: request.client, request.functions)
    return Response(status: .ok)
  }
}

extension AppServicesRequest {
  /// The client's arguments for the function that resets passwords.
  fileprivate func arguments() throws(UserError) -> [Value] {
    switch self["arguments"] {
    case nil, .null?: []
    case .array(let values)?: values
    case _?: throw .malformedContent
    }
  }
}
