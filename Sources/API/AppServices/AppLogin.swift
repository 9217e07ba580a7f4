import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

extension Endpoint {
  /// Logs somebody in; with `link`, adds the identity to the user who shows a token.
  static let appLogin = ofUsers(
    "appLogin",
    .post(
      "\(appServicesPath)/app/{app}/auth/providers/{provider}/login", parameters: [.link], reads: [.json])
  ) { request, users in
    let links = try request.call.parameters.flag(.link)
    guard users.logins.takes(request.call.lastCaptured) else { throw UserError.unknownProvider }
    let payload = try request.payload()
    let login =
      links
      ? try await users.logins.link(
        payload, to: try request.requireToken(), device: request.device, from: request.client,
        request.functions)
      : try await users.logins.logIn(payload, device: request.device, from: request.client, request.functions)
    return Response(
      privateAppServices: .ok,
      .document([
        "access_token": .string(login.access), "refresh_token": .string(login.refresh),
        "user_id": .string(login.user.description), "device_id": .string(login.device.description),
      ]))
  }
}

extension AppServicesRequest {
  /// The credential that the provider in the path takes.
  fileprivate func payload() throws(UserError) -> LoginPayload {
    switch call.lastCaptured {
    case User.Identity.anonymous: .anonymous
    case User.Identity.password: .password(email: try text("username"), password: try text("password"))
    case User.Identity.apiKey: .key(try text("key"))
    case User.Identity.customToken: .customToken(try text("token"))
    case User.Identity.google:
      if let token = self["id_token"] ?? self["idToken"] {
        .idToken(try AppServicesRequest.text(token, "id_token"), provider: call.lastCaptured)
      } else {
        .code(try text("authCode"), provider: call.lastCaptured)
      }
    case User.Identity.apple: .idToken(try text("id_token"), provider: call.lastCaptured)
    case User.Identity.facebook: .facebook(try text("accessToken"))
    // The client's description of itself is not the function's business.
    case User.Identity.customFunction: .customFunction(content(without: "options"))
    default: throw .unknownProvider
    }
  }

  /// The device identifier that the client was given the last time; nil: none.
  fileprivate var device: ObjectID? {
    guard case .document(let options)? = self["options"], case .document(let device)? = options["device"]
    else { return nil }
    let id: ObjectID? =
      switch device["deviceId"] {
      case .objectID(let id)?: id
      case .string(let text)?: ObjectID(text)
      default: nil
      }
    return id == ObjectID(high: 0, low: 0) ? nil : id
  }
}
