import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseStorage

/// Whether a caller is still one, and on what that depends: a stream may outlive the credential that opened it.
struct SessionValidity: Sendable {
  let lease: StreamLease
  /// The reason why they are none any more; nil: they are.
  let end: EndReason?
}

/// Tells whether callers who have been let in are valid still.
///
/// `@unchecked Sendable`. Because it is asked on its loop only, whose reader it uses.
final class SessionValidator: @unchecked Sendable {
  private let access: AccessControl
  /// Nil: nobody can log in.
  private let users: Users?
  private let reader: Reader
  private weak var loop: (any Loop)?

  init(_ access: AccessControl, _ users: Users?, reader: Reader) {
    self.access = access
    self.users = users
    self.reader = reader
  }

  /// Begins to take the time of a loop. Called once.
  func start(on loop: any Loop) {
    self.loop = loop
  }

  /// The loop's time in nanoseconds; 0 before the loop is known.
  var now: UInt64 { loop?.now.nanoseconds ?? 0 }

  /// Returns whether a caller is still valid, and on what that depends. Called on the loop.
  func validity(of principal: Principal) -> SessionValidity {
    var owners: [StreamLease.Owner] = principal.role.isBuiltIn ? [] : [.roles]
    switch principal.kind {
    case .anyone: owners.append(.anyone)
    case .key(let id): owners.append(.key(id))
    // Where there is no role for users, they have a built-in one until there is.
    case .user(let id): owners = [.roles, .user(id)]
    }
    if let token = principal.token { owners.append(.session(token.session)) }
    return SessionValidity(
      lease: StreamLease(owners: owners, deadline: principal.token.flatMap(deadline)), end: end(of: principal)
    )
  }

  /// Breaks a long answer off where its caller is none any more. That a token has expired meanwhile does not matter:
  /// the answer has an end of its own. Throws ``APIError/unauthorized(_:)``.
  func requireValidity(of principal: Principal) throws(APIError) {
    guard end(of: principal) == nil else { throw .unauthorized(.unknown) }
  }

  /// Refuses a caller whose credential would be refused now. Throws ``APIError/unauthorized(_:)``.
  func requireCredential(of principal: Principal) throws(APIError) {
    try requireValidity(of: principal)
    if let users, let token = principal.token, token.end <= users.clock().seconds {
      throw .unauthorized(.unknown)
    }
  }

  private func deadline(of token: UserToken) -> (time: UInt64, reason: EndReason)? {
    guard let users else { return nil }
    let seconds = max(0, token.end - users.clock().seconds)
    return (now + UInt64(seconds) * 1_000_000_000, .tokenExpired)
  }

  private func end(of principal: Principal) -> EndReason? {
    if let users, let end = users.sessions.end(of: principal, UserRecords(reader: reader)) { return end }
    return access.end(of: principal)
  }
}
