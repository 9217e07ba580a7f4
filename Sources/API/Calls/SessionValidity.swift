import Access
import BSON
import Feeds
import HTTP
import Storage

/// Whether a caller is still one, and on what that depends: a stream may outlive the credential that opened it.
struct SessionValidity: Sendable {
  let lease: StreamLease
  /// Why they are none any more; nil: they are.
  let end: EndReason?
}

extension Context {
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

  /// Returns what a content that is still arriving is followed by: where it took more than a second, its sender may
  /// have been shut out meanwhile. Nil: nothing.
  func arrivalCheck(
    of request: Request, to endpoint: Endpoint, by principal: Principal
  ) -> (@Sendable () throws -> Void)? {
    guard !request.body.isWhole, endpoint.requires != .nothing else { return nil }
    let start = clock()
    return { if self.clock() - start > 1_000_000_000 { try self.requireValidity(of: principal) } }
  }

  private func deadline(of token: UserToken) -> (time: UInt64, reason: EndReason)? {
    guard let users else { return nil }
    let seconds = max(0, token.end - users.clock().seconds)
    return (clock() + UInt64(seconds) * 1_000_000_000, .tokenExpired)
  }

  private func end(of principal: Principal) -> EndReason? {
    if let token = principal.token, let users, let end = users.end(of: token, UserRecords(reader: reader)) {
      return end
    }
    return access.end(of: principal)
  }
}

extension RequestBody {
  /// Whether it can be read once more.
  var isWhole: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream: false
    }
  }
}

extension Users {
  /// Why the session of a token is none any more; nil: it is one.
  func end(of token: UserToken, _ records: UserRecords) -> EndReason? {
    // A user whose record cannot be read is treated as deleted.
    guard let user = try? records.user(token.user) else { return .userDeleted }
    if user.isDisabled { return .userDisabled }
    return (try? records.hasSession(token)) == true ? nil : .sessionEnded
  }
}

extension AccessControl {
  /// Why a caller's key or role is none any more; nil: they have them still.
  func end(of principal: Principal) -> EndReason? {
    let keyring = current
    switch principal.kind {
    case .anyone: return keyring.anyone?.role == principal.role ? nil : .accessChanged
    case .user: return keyring.userRole == principal.role ? nil : .accessChanged
    case .key(let id):
      // The operator's own key, and what runs as the system, last as long as the process.
      guard let id = ObjectID(id) else { return nil }
      guard let key = keyring.keys[id] else { return .keyRevoked }
      return keyring.policy[key.role]?.limited(to: key.classes) == principal.role ? nil : .accessChanged
    }
  }
}

extension EndReason {
  /// The caller has logged out, or their session was ended for them.
  static let sessionEnded = EndReason(rawValue: "session_ended")
  static let userDisabled = EndReason(rawValue: "user_disabled")
  static let userDeleted = EndReason(rawValue: "user_deleted")
  static let keyRevoked = EndReason(rawValue: "key_revoked")
  static let tokenExpired = EndReason(rawValue: "token_expired")
  /// The roles have changed, or what filters of roles ask of the user.
  static let accessChanged = EndReason(rawValue: "access_changed")
}

extension StreamLease.Owner {
  static func user(_ id: String) -> Self { Self("user/\(id)") }
  static func session(_ id: ObjectID) -> Self { Self("session/\(id)") }
  static func key(_ id: String) -> Self { Self("key/\(id)") }
  /// The roles that an operator has defined.
  static let roles = Self("roles")
  /// That callers need no credential, or have a role without one.
  static let anyone = Self("anyone")
}
