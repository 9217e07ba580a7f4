import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseStorage

/// The users who may log in, and the functions that decide about them.
struct UserAccess: Sendable {
  /// Nil: nobody can log in.
  let users: Users?
  let functions: FunctionAccess
  /// The roles that users may have.
  let access: AccessControl
  /// The HTTPS endpoints of the app, whose requests may bring what users log in with.
  let endpoints: HTTPEndpoints

  /// Returns the users. Throws ``UserError/unknownProvider`` where nobody can log in.
  func require() throws(UserError) -> Users {
    guard let users else { throw .unknownProvider }
    return users
  }
}

/// Finds the users whom functions act as, in the place of their callers (`run_as_user_id`).
struct ActingUsers: Sendable {
  let users: Users
  let access: AccessControl

  /// Returns a user as a caller; nil: there is none of that identifier, or they are disabled.
  ///
  /// - Parameter data: Their custom data, as their token has them; nil: those that an operator gave them.
  func principal(_ id: String, data: Document? = nil) async throws -> Principal? {
    guard let id = ObjectID(id), var user = try await users.sessions.store.read({ try $0.user(id) }),
      !user.isDisabled
    else { return nil }
    if let data { user.customData = data }
    let principal = Principal(
      .user(id: user.id.description), role: access.current.role(ofUserWith: user.roles), values: user.values)
    return principal.role.usesTime ? principal.asking(at: access.clock()) : principal
  }
}
