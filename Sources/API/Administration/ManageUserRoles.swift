import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

// The roles that an operator gives a user: an array of names.
extension Endpoint {
  private static let userRoles = "/v1/users/{user}/roles"

  static let readUserRoles = Endpoint(
    "readUserRoles", .get(userRoles), answers: [.json, .extendedJSON], requires: .administration,
    using: \.users
  ) { call, users in
    call.response(showing: try await users.require().profiles.grantedRoles(of: try call.userID()))
  }

  /// Replaces the roles that the user was given. Those that a token's issuer names stay.
  static let applyUserRoles = Endpoint(
    "applyUserRoles", .put(userRoles, reads: [.json, .extendedJSON]), answers: [.json, .extendedJSON],
    requires: .administration, using: \.users
  ) { call, users in
    let roles = try Call.roles(try await call.value(), definedIn: users.access)
    try await users.require().profiles.setGrantedRoles(roles, of: try call.userID())
    return call.response(showing: roles)
  }
}

extension Call {
  /// Returns the names of roles in a value, each once. Throws ``APIError/invalidMembers(_:)`` where one is none, or there
  /// are more than a user may have.
  static func roles(
    _ value: Value, at pointer: String = "", definedIn access: AccessControl
  ) throws -> [String] {
    guard case .array(let values) = value else {
      throw APIError.invalidMembers([MemberError(pointer: pointer, rule: .wrongType)])
    }
    guard values.count <= User.mostRoles else {
      throw APIError.invalidMembers([MemberError(pointer: "\(pointer)/\(User.mostRoles)", rule: .tooMany)])
    }
    return try values.enumerated().map { index, value in
      guard case .string(let name) = value else {
        throw APIError.invalidMembers([MemberError(pointer: "\(pointer)/\(index)", rule: .wrongType)])
      }
      guard access.definesRole(name) else {
        throw APIError.invalidMembers([MemberError(pointer: "\(pointer)/\(index)", rule: .unknownRole)])
      }
      return name
    }.unique
  }

  fileprivate func response(showing roles: [String]) -> Response {
    let list = Value.array(roles.map { .string($0) })
    return Response(status: .ok, content: mediaType.bytes(of: list), mediaType)
  }
}
