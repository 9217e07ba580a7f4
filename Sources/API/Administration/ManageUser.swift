import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// One user, as the operator sees and changes them.
extension Endpoint {
  private static let user = "/v1/users/{user}"

  static let readUser = Endpoint(
    "readUser", .get(user), answers: [.json, .extendedJSON], requires: .administration, using: \.users
  ) { call, users in try await call.response(showing: try call.userID(), users) }

  /// Changes the custom data by a merge patch, and replaces the roles that the user was given.
  static let changeUser = Endpoint(
    "changeUser", .patch(user, reads: [.mergePatch, .json, .extendedJSON]), answers: [.json, .extendedJSON],
    requires: .administration, using: \.users
  ) { call, users in
    let change = try await UserChange(call, users.access)
    let id = try call.userID()
    try await users.require().profiles.change(id, customData: change.customData, roles: change.roles)
    return try await call.response(showing: id, users)
  }
}

/// The content of a change: `{"customData": {"team": "red", "old": null}, "roles": ["editor"]}`.
private struct UserChange {
  var customData: Document?
  var roles: [String]?

  init(_ call: Call, _ access: AccessControl) async throws {
    guard case .document(let members) = try await call.value() else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
    }
    for element in members.elements {
      switch (element.key, element.value) {
      case ("customData", .document(let data)): customData = data
      case ("roles", let value): roles = try Call.roles(value, at: "/roles", definedIn: access)
      case ("customData", _):
        throw APIError.invalidMembers([MemberError(pointer: "/customData", rule: .wrongType)])
      default: throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
      }
    }
  }
}

extension Call {
  fileprivate func response(showing id: ObjectID, _ users: UserAccess) async throws -> Response {
    let summary = try await users.require().profiles.summary(of: id)
    return Response(status: .ok, content: mediaType.bytes(of: .document(summary)), mediaType)
  }
}
