import GatehouseBSON
import GatehouseFeeds

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
  /// Callers without a credential, as long as they need none.
  static let anyone = Self("anyone")
}
