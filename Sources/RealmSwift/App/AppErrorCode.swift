extension RLMAppError {
  /// The kinds of errors.
  public enum Code: Int, Sendable, CaseIterable {
    /// The server says no more than that there was an error.
    case unknown = -1
    /// The server could not be reached, or its answer is none.
    case httpRequestFailed = 1
    /// The session has ended.
    case invalidSession = 2
    /// The user is one of another app.
    case userAppDomainMismatch = 3
    /// The domain is not let in.
    case domainNotAllowed = 4
    /// More would have been read than may be.
    case readSizeLimitExceeded = 5
    /// A parameter is not what it should be.
    case invalidParameter = 6
    /// A parameter is missing.
    case missingParameter = 7
    /// Twilio refused a message.
    case twilioError = 8
    /// Google refused a push notification.
    case gcmError = 9
    /// The answer has a status of an error, and no text of the server's.
    case httpError = 10
    /// Amazon refused a request.
    case awsError = 11
    /// The data source refused a command.
    case mongoDBError = 12
    /// The function takes no such arguments.
    case argumentsNotAllowed = 13
    /// The function threw an error.
    case functionExecutionError = 14
    /// No rule lets the user do that.
    case noMatchingRuleFound = 15
    /// The server could not do it.
    case internalServerError = 16
    /// The app has no such provider of users.
    case authProviderNotFound = 17
    /// The app has such a provider of users already.
    case authProviderAlreadyExists = 18
    /// The app has no service of that name.
    case serviceNotFound = 19
    /// There are no services of that type.
    case serviceTypeNotFound = 20
    /// The app has a service of that name already.
    case serviceAlreadyExists = 21
    /// The service has no such command.
    case serviceCommandNotFound = 22
    /// The app has no value of that name.
    case valueNotFound = 23
    /// The app has a value of that name already.
    case valueAlreadyExists = 24
    /// Another value has that name.
    case valueDuplicateName = 25
    /// The app has no function of that name.
    case functionNotFound = 26
    /// The app has a function of that name already.
    case functionAlreadyExists = 27
    /// Another function has that name.
    case functionDuplicateName = 28
    /// The function's text is no program.
    case functionSyntaxError = 29
    /// The function's file exports no function.
    case functionInvalid = 30
    /// There is no such HTTPS endpoint.
    case incomingWebhookNotFound = 31
    /// There is such an HTTPS endpoint already.
    case incomingWebhookAlreadyExists = 32
    /// Another HTTPS endpoint has that name.
    case incomingWebhookDuplicateName = 33
    /// There is no such rule.
    case ruleNotFound = 34
    /// There is such a rule already.
    case ruleAlreadyExists = 35
    /// Another rule has that name.
    case ruleDuplicateName = 36
    /// Another provider of users has that name.
    case authProviderDuplicateName = 37
    /// The host may not be asked.
    case restrictedHost = 38
    /// The user has no such key.
    case apiKeyNotFound = 39
    /// The user has such a key already.
    case apiKeyAlreadyExists = 40
    /// The HTTPS endpoint did not get the proof that it asks for.
    case incomingWebhookAuthFailed = 41
    /// It took too long.
    case executionTimeLimitExceeded = 42
    /// Users may not call the function.
    case functionNotCallable = 43
    /// The address has been confirmed already.
    case userAlreadyConfirmed = 44
    /// There is no such user.
    case userNotFound = 45
    /// The user may not log in.
    case userDisabled = 46
    /// The credentials are not taken.
    case authError = 47
    /// The request is not what it should be.
    case badRequest = 48
    /// Somebody else has the address.
    case accountNameInUse = 49
    /// There is no user with that address and password.
    case invalidPassword = 50
    /// The document is not valid.
    case schemaValidationFailedWrite = 51
    /// There was an error of the server's, without a code.
    case appUnknownError = 52
    /// The server is being maintained.
    case maintenanceInProgress = 53
    /// The token has been used, or is too old.
    case userpassTokenInvalid = 54
    /// The answer lacks what should be in it.
    case invalidServerResponse = 55
    /// There was an error of the server's, of a code that is not known.
    case appServerError = 56
    /// The request says nothing of who asks.
    case missingAuthReq = 57
    /// The app has no such user.
    case clientUserNotFound = 4100
    /// The user is logged out.
    case clientUserNotLoggedIn = 4101
    /// A user who is known by name cannot become an anonymous one.
    case clientUserAlreadyNamed = 4102
  }
}

extension RLMAppError.Code {
  /// The kinds by the server's names of them.
  static let named: [String: RLMAppError.Code] = [
    "InvalidSession": .invalidSession,
    "UserAppDomainMismatch": .userAppDomainMismatch,
    "DomainNotAllowed": .domainNotAllowed,
    "ReadSizeLimitExceeded": .readSizeLimitExceeded,
    "InvalidParameter": .invalidParameter,
    "MissingParameter": .missingParameter,
    "TwilioError": .twilioError,
    "GCMError": .gcmError,
    "HTTPError": .httpError,
    "AWSError": .awsError,
    "MongoDBError": .mongoDBError,
    "ArgumentsNotAllowed": .argumentsNotAllowed,
    "FunctionExecutionError": .functionExecutionError,
    "NoMatchingRuleFound": .noMatchingRuleFound,
    "InternalServerError": .internalServerError,
    "AuthProviderNotFound": .authProviderNotFound,
    "AuthProviderAlreadyExists": .authProviderAlreadyExists,
    "ServiceNotFound": .serviceNotFound,
    "ServiceTypeNotFound": .serviceTypeNotFound,
    "ServiceAlreadyExists": .serviceAlreadyExists,
    "ServiceCommandNotFound": .serviceCommandNotFound,
    "ValueNotFound": .valueNotFound,
    "ValueAlreadyExists": .valueAlreadyExists,
    "ValueDuplicateName": .valueDuplicateName,
    "FunctionNotFound": .functionNotFound,
    "FunctionAlreadyExists": .functionAlreadyExists,
    "FunctionDuplicateName": .functionDuplicateName,
    "FunctionSyntaxError": .functionSyntaxError,
    "FunctionInvalid": .functionInvalid,
    "IncomingWebhookNotFound": .incomingWebhookNotFound,
    "IncomingWebhookAlreadyExists": .incomingWebhookAlreadyExists,
    "IncomingWebhookDuplicateName": .incomingWebhookDuplicateName,
    "RuleNotFound": .ruleNotFound,
    "RuleAlreadyExists": .ruleAlreadyExists,
    "RuleDuplicateName": .ruleDuplicateName,
    "AuthProviderDuplicateName": .authProviderDuplicateName,
    "RestrictedHost": .restrictedHost,
    "APIKeyNotFound": .apiKeyNotFound,
    "APIKeyAlreadyExists": .apiKeyAlreadyExists,
    "IncomingWebhookAuthFailed": .incomingWebhookAuthFailed,
    "ExecutionTimeLimitExceeded": .executionTimeLimitExceeded,
    "NotCallable": .functionNotCallable,
    "UserAlreadyConfirmed": .userAlreadyConfirmed,
    "UserNotFound": .userNotFound,
    "UserDisabled": .userDisabled,
    "AuthError": .authError,
    "BadRequest": .badRequest,
    "AccountNameInUse": .accountNameInUse,
    "InvalidPassword": .invalidPassword,
    "SchemaValidationFailedWrite": .schemaValidationFailedWrite,
    "AppUnknownError": .appUnknownError,
    "MaintenanceInProgress": .maintenanceInProgress,
    "UserpassTokenInvalid": .userpassTokenInvalid,
    "InvalidServerResponse": .invalidServerResponse,
    "AppServerError": .appServerError,
    "MissingAuthReq": .missingAuthReq,
  ]
}

// The kinds, as errors of Objective-C have them in Swift.
extension RLMAppError {
  /// The server says no more than that there was an error.
  public static let unknown = Code.unknown
  /// The server could not be reached, or its answer is none.
  public static let httpRequestFailed = Code.httpRequestFailed
  /// The session has ended.
  public static let invalidSession = Code.invalidSession
  /// The user is one of another app.
  public static let userAppDomainMismatch = Code.userAppDomainMismatch
  /// The domain is not let in.
  public static let domainNotAllowed = Code.domainNotAllowed
  /// More would have been read than may be.
  public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
  /// A parameter is not what it should be.
  public static let invalidParameter = Code.invalidParameter
  /// A parameter is missing.
  public static let missingParameter = Code.missingParameter
  /// Twilio refused a message.
  public static let twilioError = Code.twilioError
  /// Google refused a push notification.
  public static let gcmError = Code.gcmError
  /// The answer has a status of an error, and no text of the server's.
  public static let httpError = Code.httpError
  /// Amazon refused a request.
  public static let awsError = Code.awsError
  /// The data source refused a command.
  public static let mongoDBError = Code.mongoDBError
  /// The function takes no such arguments.
  public static let argumentsNotAllowed = Code.argumentsNotAllowed
  /// The function threw an error.
  public static let functionExecutionError = Code.functionExecutionError
  /// No rule lets the user do that.
  public static let noMatchingRuleFound = Code.noMatchingRuleFound
  /// The server could not do it.
  public static let internalServerError = Code.internalServerError
  /// The app has no such provider of users.
  public static let authProviderNotFound = Code.authProviderNotFound
  /// The app has such a provider of users already.
  public static let authProviderAlreadyExists = Code.authProviderAlreadyExists
  /// The app has no service of that name.
  public static let serviceNotFound = Code.serviceNotFound
  /// There are no services of that type.
  public static let serviceTypeNotFound = Code.serviceTypeNotFound
  /// The app has a service of that name already.
  public static let serviceAlreadyExists = Code.serviceAlreadyExists
  /// The service has no such command.
  public static let serviceCommandNotFound = Code.serviceCommandNotFound
  /// The app has no value of that name.
  public static let valueNotFound = Code.valueNotFound
  /// The app has a value of that name already.
  public static let valueAlreadyExists = Code.valueAlreadyExists
  /// Another value has that name.
  public static let valueDuplicateName = Code.valueDuplicateName
  /// The app has no function of that name.
  public static let functionNotFound = Code.functionNotFound
  /// The app has a function of that name already.
  public static let functionAlreadyExists = Code.functionAlreadyExists
  /// Another function has that name.
  public static let functionDuplicateName = Code.functionDuplicateName
  /// The function's text is no program.
  public static let functionSyntaxError = Code.functionSyntaxError
  /// The function's file exports no function.
  public static let functionInvalid = Code.functionInvalid
  /// There is no such HTTPS endpoint.
  public static let incomingWebhookNotFound = Code.incomingWebhookNotFound
  /// There is such an HTTPS endpoint already.
  public static let incomingWebhookAlreadyExists = Code.incomingWebhookAlreadyExists
  /// Another HTTPS endpoint has that name.
  public static let incomingWebhookDuplicateName = Code.incomingWebhookDuplicateName
  /// There is no such rule.
  public static let ruleNotFound = Code.ruleNotFound
  /// There is such a rule already.
  public static let ruleAlreadyExists = Code.ruleAlreadyExists
  /// Another rule has that name.
  public static let ruleDuplicateName = Code.ruleDuplicateName
  /// Another provider of users has that name.
  public static let authProviderDuplicateName = Code.authProviderDuplicateName
  /// The host may not be asked.
  public static let restrictedHost = Code.restrictedHost
  /// The user has no such key.
  public static let apiKeyNotFound = Code.apiKeyNotFound
  /// The user has such a key already.
  public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
  /// The HTTPS endpoint did not get the proof that it asks for.
  public static let incomingWebhookAuthFailed = Code.incomingWebhookAuthFailed
  /// It took too long.
  public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
  /// Users may not call the function.
  public static let functionNotCallable = Code.functionNotCallable
  /// The address has been confirmed already.
  public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
  /// There is no such user.
  public static let userNotFound = Code.userNotFound
  /// The user may not log in.
  public static let userDisabled = Code.userDisabled
  /// The credentials are not taken.
  public static let authError = Code.authError
  /// The request is not what it should be.
  public static let badRequest = Code.badRequest
  /// Somebody else has the address.
  public static let accountNameInUse = Code.accountNameInUse
  /// There is no user with that address and password.
  public static let invalidPassword = Code.invalidPassword
  /// The document is not valid.
  public static let schemaValidationFailedWrite = Code.schemaValidationFailedWrite
  /// There was an error of the server's, without a code.
  public static let appUnknownError = Code.appUnknownError
  /// The server is being maintained.
  public static let maintenanceInProgress = Code.maintenanceInProgress
  /// The token has been used, or is too old.
  public static let userpassTokenInvalid = Code.userpassTokenInvalid
  /// The answer lacks what should be in it.
  public static let invalidServerResponse = Code.invalidServerResponse
  /// There was an error of the server's, of a code that is not known.
  public static let appServerError = Code.appServerError
  /// The request says nothing of who asks.
  public static let missingAuthReq = Code.missingAuthReq
  /// The app has no such user.
  public static let clientUserNotFound = Code.clientUserNotFound
  /// The user is logged out.
  public static let clientUserNotLoggedIn = Code.clientUserNotLoggedIn
  /// A user who is known by name cannot become an anonymous one.
  public static let clientUserAlreadyNamed = Code.clientUserAlreadyNamed
}
