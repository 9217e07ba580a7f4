import GatehouseBSON
import GatehouseHTTP

// The user who shows a token, and their session.
extension Endpoint {
  static let appProfile = ofUsers("appProfile", .get("\(appServicesPath)/auth/profile")) { request, users in
    Response(privateAppServices: .ok, .document(try await users.profiles.profile(try request.requireToken())))
  }

  static let appRefresh = ofUsers("appRefresh", .post("\(appServicesPath)/auth/session", reads: [])) {
    request, users in
    let access = try await users.sessions.refresh(try request.requireToken())
    return Response(privateAppServices: .created, .document(["access_token": .string(access)]))
  }

  static let appLogOut = ofUsers("appLogOut", .delete("\(appServicesPath)/auth/session")) { request, users in
    try await users.sessions.logOut(try request.requireToken())
    return Response(status: .noContent)
  }

  private static let registration = "\(appServicesPath)/app/{app}/push/providers/{provider}/registration"

  /// App Services had no push notifications in the end: there is no service of any name.
  static let appRegisterPush = ofUsers("appRegisterPush", .put(registration, reads: [.json])) {
    request, users in
    try await request.refuseService(users)
  }

  static let appUnregisterPush = ofUsers("appUnregisterPush", .delete(registration)) { request, users in
    try await request.refuseService(users)
  }

  static let appDeleteUser = ofUsers("appDeleteUser", .delete("\(appServicesPath)/auth/delete")) {
    request, users in
    try await users.profiles.delete(try request.requireToken())
    return Response(status: .noContent)
  }
}

extension AppServicesRequest {
  /// Throws ``DataSourceError/unknownService(_:)`` for the service that the path names, to those who have logged in.
  fileprivate func refuseService(_ users: Users) async throws -> Response {
    _ = try await users.profiles.profile(try requireToken())
    throw DataSourceError.unknownService(call.lastCaptured)
  }
}
