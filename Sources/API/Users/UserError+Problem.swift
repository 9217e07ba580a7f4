import GatehouseHTTP

// The texts and codes that clients of App Services look for. 401 is for tokens and passwords only: they refresh, and
// try again.
extension UserError: ProblemRepresentable {
  /// The problem outside App Services' protocol.
  var problem: Problem {
    let fields = wait.map { [Fields.Line(name: "retry-after", value: String($0))] } ?? []
    return Problem(code, wording.text, fields: fields)
  }
}

extension UserError {
  /// Seconds after which it is worth another try; nil: that is not known.
  fileprivate var wait: Int? {
    if case .tooManyAttempts(let seconds) = self { return seconds }
    if case .tooManyWaiting(let seconds) = self { return seconds }
    if case .tooManyUsers(let seconds) = self { return seconds }
    return nil
  }

  /// The code whose status it has.
  fileprivate var code: Problem.Code {
    switch self {
    case .wrongPassword, .notBelieved, .refusedCredential, .unconfirmed, .noToken, .badToken, .expiredToken,
      .wrongKindOfToken, .noSession:
      .unauthorized
    case .disabledUser, .keyInUse: .forbidden
    case .unknownProvider, .unknownKey: .keyNotFound
    case .unknownUser: .userNotFound
    case .nameInUse: .objectExists
    case .tooManyAttempts, .tooManyUsers: .tooManyAttempts
    case .tooManyWaiting: .loginQueueFull
    case .issuerUnreachable: .issuerUnreachable
    case .alreadyConfirmed, .automaticConfirmation, .confirmationFailed, .resetFailed, .badPasswordToken,
      .noMail, .resetByFunction, .noFunction, .badPasswordLength, .badEmail, .identityInUse, .secondPassword,
      .linkingRefused, .tooMuchData, .dataOfClass, .badKeyName,
      .missingText, .malformedContent:
      .invalidParameter
    }
  }

  /// The text that clients of App Services look for, and their code.
  var wording: (text: String, code: String?) {
    switch self {
    case .wrongPassword: ("unauthorized", "InvalidPassword")
    case .notBelieved: ("authentication failed", "AuthError")
    case .refusedCredential, .unconfirmed: ("unauthorized", "AuthError")
    case .unknownProvider: ("authentication provider not found", "AuthProviderNotFound")
    case .disabledUser: ("user disabled", "UserDisabled")
    case .noToken: ("expected Authorization header with JWT (Bearer schema)", nil)
    case .badToken, .linkingRefused: ("unauthorized", "InvalidSession")
    case .expiredToken: ("invalid session: access token expired", "InvalidSession")
    case .wrongKindOfToken: ("invalid session: incorrect token type", "InvalidSession")
    case .noSession: ("invalid session: failed to find refresh token", "InvalidSession")
    case .identityInUse: ("a user already exists with the specified provider", "InvalidSession")
    case .secondPassword: ("linking an additional local-userpass identity is not allowed", "InvalidSession")
    case .issuerUnreachable: ("the authentication provider does not answer", "AuthError")
    case .nameInUse: ("name already in use", "AccountNameInUse")
    case .unknownUser: ("user not found", "UserNotFound")
    case .alreadyConfirmed: ("already confirmed", "UserAlreadyConfirmed")
    case .automaticConfirmation(let email):
      ("cannot run confirmation for \(email): automatic confirmation is enabled", nil)
    case .confirmationFailed(let email): ("failed to confirm user \"\(email)\"", "BadRequest")
    case .resetFailed(let email): ("failed to reset password for user \"\(email)\"", nil)
    case .badPasswordToken: ("invalid token data", "BadRequest")
    case .noMail: ("no mail is sent here: the operator has the tokens", "BadRequest")
    case .resetByFunction: ("please use reset password via function", nil)
    case .noFunction: ("no function is set for that", "BadRequest")
    case .badPasswordLength: ("password must be between 6 and 128 characters", "BadRequest")
    case .badEmail: ("email invalid", "BadRequest")
    case .unknownKey: ("API key not found", "APIKeyNotFound")
    case .keyInUse: ("cannot delete the API key that the session began with", "BadRequest")
    case .badKeyName:
      ("can only contain ASCII letters, numbers, underscores, and hyphens", "InvalidParameter")
    case .tooMuchData: ("custom data has 8,192 bytes of JSON at most", "BadRequest")
    case .dataOfClass: ("custom data is the objects of a class, which are changed instead", "BadRequest")
    case .missingText(let name): ("'\(name)' is a required string", nil)
    case .malformedContent: ("request body is no JSON object", "BadRequest")
    case .tooManyAttempts: ("too many authentication requests", nil)
    case .tooManyWaiting: ("too many logins are being checked, try again later", nil)
    case .tooManyUsers: ("too many users, try again later", nil)
    }
  }
}
