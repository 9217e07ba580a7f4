/// A reason to refuse a request about users. The texts are those that clients look for.
enum UserError: Error, Hashable {
  /// A wrong password, or nobody of that name.
  case wrongPassword
  /// A login that the function does not let in.
  case notBelieved
  /// A key, or a token of another issuer, that is good for nobody.
  case refusedCredential
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
  /// The server that could tell who somebody is does not answer.
  case issuerUnreachable
  /// Another user has the identity.
  case identityInUse
  /// The user has an address with a password already.
  case secondPassword
  /// The credential that was to be linked is not good.
  case linkingRefused
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
  /// Custom data has more bytes than a token may.
  case tooMuchData
  /// Custom data is that of a class's objects, which are changed instead.
  case dataOfClass
  /// A member that must be a text.
  case missingText(String)
  case malformedContent
  case tooManyAttempts(seconds: Int)
  /// More passwords are to be hashed than can be.
  case tooManyWaiting(seconds: Int)
  /// There are as many anonymous users as there may be, or as many new users from one address.
  case tooManyUsers(seconds: Int)

  /// The same refusal where the credential was to be linked to a user who is logged in: with 401, realm-web would renew the
  /// user's token and link again, for ever (`Fetcher.ts`).
  var ofLinking: UserError {
    switch self {
    case .wrongPassword, .notBelieved, .refusedCredential, .unconfirmed: .linkingRefused
    default: self
    }
  }

  /// Whether it is what somebody gets who tries secrets of others, or looks for their accounts.
  var isFailedAttempt: Bool {
    switch self {
    case .wrongPassword, .notBelieved, .refusedCredential, .unknownUser, .alreadyConfirmed,
      .confirmationFailed, .resetFailed,
      .badPasswordToken:
      true
    default: false
    }
  }
}
