/// Why a request in App Services' protocol is refused. The texts are those that clients look for.
enum AppFault: Error, Hashable {
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
  /// A token that nobody here signed, or that is good no more.
  case badToken
  case wrongKindOfToken
  /// The user has logged out, or is no more.
  case noSession
  /// Another user has the identity.
  case identityInUse
  case nameInUse
  case unknownUser
  case alreadyConfirmed
  case automaticConfirmation
  case badPasswordToken
  /// Nobody sends tokens by mail here.
  case noMail
  case badPasswordLength
  case badEmail
  case unknownKey
  case badKeyName
  /// A member that must be a text.
  case missingText(String)
  case malformedContent
  case tooManyAttempts(seconds: Int)
}
