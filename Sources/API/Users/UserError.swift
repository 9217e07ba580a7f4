/// A reason to refuse a request about users. The texts are those that clients look for.
enum UserError: Error, Hashable {
  /// A wrong password, or nobody of that name.
  case wrongPassword
  /// A login that is not believed.
  case notBelieved
  /// The account is to be confirmed first.
  case unconfirmed
  case unknownProvider
  case disabledUser
  /// No Authorization.
  case noToken
  /// A token that nobody here signed.
  case badToken
  /// A token that is good no more.
  case expiredToken
  case wrongKindOfToken
  /// The user has logged out, or is no more.
  case noSession
  /// Another user has the identity.
  case identityInUse
  case nameInUse
  case unknownUser
  case alreadyConfirmed
  /// Accounts of that kind need no confirmation; with the address.
  case automaticConfirmation(String)
  /// The function does not let the address have an account.
  case confirmationFailed(String)
  /// The function does not let the address have another password.
  case resetFailed(String)
  case badPasswordToken
  /// Nobody sends tokens by mail here: the operator does, or a function.
  case noMail
  /// A function says who gets another password.
  case resetByFunction
  /// No function is set that would decide.
  case noFunction
  case badPasswordLength
  case badEmail
  case unknownKey
  /// The session began with the key.
  case keyInUse
  case badKeyName
  /// A member that must be a text.
  case missingText(String)
  case malformedContent
  case tooManyAttempts(seconds: Int)
  /// More passwords are to be hashed than can be.
  case tooManyWaiting(seconds: Int)
  /// There are as many anonymous users as there may be, or as many new users from one address.
  case tooManyUsers(seconds: Int)

  /// Whether it is what somebody gets who tries secrets of others, or looks for their accounts.
  var isFailedAttempt: Bool {
    switch self {
    case .wrongPassword, .notBelieved, .unknownUser, .alreadyConfirmed, .confirmationFailed, .resetFailed,
      .badPasswordToken:
      true
    default: false
    }
  }
}
