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
