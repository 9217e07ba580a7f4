import HTTP

// What clients of App Services look for. 401 is for tokens and passwords only: they refresh, and try again.
extension Problem {
  /// The same outside App Services' protocol.
  init(_ fault: AppFault) {
    self.init(fault.problem, fault.wording.text)
    if case .tooManyAttempts(let seconds) = fault {
      fields = [Fields.Line(name: "retry-after", value: String(seconds))]
    }
  }
}

extension AppFault {
  /// The problem whose status it has.
  fileprivate var problem: Problem.Code {
    switch self {
    case .wrongPassword, .notBelieved, .unconfirmed, .noToken, .badToken, .wrongKindOfToken, .noSession:
      .unauthorized
    case .disabledUser: .forbidden
    case .unknownProvider, .unknownUser, .unknownKey: .keyNotFound
    case .nameInUse: .objectExists
    case .tooManyAttempts: .tooManyAttempts
    case .alreadyConfirmed, .automaticConfirmation, .badPasswordToken, .noMail, .badPasswordLength, .badEmail,
      .identityInUse, .badKeyName, .missingText, .malformedContent:
      .invalidParameter
    }
  }

  var wording: (text: String, code: String?) {
    switch self {
    case .wrongPassword: ("unauthorized", "InvalidPassword")
    case .notBelieved: ("authentication failed", "AuthError")
    case .unconfirmed: ("confirmation required", "AuthError")
    case .unknownProvider: ("authentication provider not found", "AuthProviderNotFound")
    case .disabledUser: ("user disabled", "UserDisabled")
    case .noToken: ("must authenticate first", nil)
    case .badToken: ("invalid session: signature is invalid", "InvalidSession")
    case .wrongKindOfToken: ("invalid session: incorrect token type", "InvalidSession")
    case .noSession: ("invalid session: failed to find refresh token", "InvalidSession")
    case .identityInUse: ("a user already exists with the specified provider", "InvalidSession")
    case .nameInUse: ("name already in use", "AccountNameInUse")
    case .unknownUser: ("user not found", "UserNotFound")
    case .alreadyConfirmed: ("already confirmed", "UserAlreadyConfirmed")
    case .automaticConfirmation: ("cannot run confirmation: automatic confirmation is enabled", nil)
    case .badPasswordToken: ("invalid token data", "BadRequest")
    case .noMail: ("please use reset password via function", nil)
    case .badPasswordLength: ("password must be between 6 and 128 characters", "BadRequest")
    case .badEmail: ("email invalid", "BadRequest")
    case .unknownKey: ("API key not found", "APIKeyNotFound")
    case .badKeyName:
      ("can only contain ASCII letters, numbers, underscores, and hyphens", "InvalidParameter")
    case .missingText(let name): ("'\(name)' is a required string", nil)
    case .malformedContent: ("request body is no JSON object", "BadRequest")
    case .tooManyAttempts: ("too many authentication requests", nil)
    }
  }
}
