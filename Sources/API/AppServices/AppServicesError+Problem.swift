import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension AppServicesError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .functionNotNamed:
      return Problem(.missingParameter, "The content must have the member “name”, a string.")
    case .unreadableRequest:
      let name = Parameters.Name.baasRequest.rawValue
      return Problem(.invalidParameter, "The parameter “\(name)” must be a JSON object in Base64.")
    case .argumentsNoArray: return Problem(.invalidArguments, "The member “arguments” must be an array.")
    case .endpointNotFound: return Problem(.routeNotFound, "There is no endpoint of that route and method.")
    case .endpointNotValidated:
      return Problem(
        .unauthorized, "The endpoint asks for a secret or a signature, which are not there or wrong.")
    case .function(_, let error): return error.problem
    }
  }
}

extension Problem {
  /// Returns the problem as clients of App Services know it: a text, and one of their codes.
  static func appServicesResponse(to error: any Error, for request: Request) -> Response {
    let insertion = error as? InsertionError
    let error = insertion?.reason ?? error
    let problem = Problem(error)
    let told: (text: String, code: String?) =
      (error as? UserError)?.wording ?? (error as? DataSourceError)?.wording
      ?? (error as? FunctionTransactionError)?.wording ?? problem.told(error as? AppServicesError)
    var body: Document = [
      "error": .string(told.text + (insertion.map { " at documents[\($0.index)]" } ?? ""))
    ]
    if let code = told.code { body.append("error_code", .string(code)) }
    if let insertion {
      body.append("index", .int32(Int32(clamping: insertion.index)))
      body.append("insertedIds", .array(insertion.inserted))
    }
    let number = (error as? DataSourceError)?.number ?? (error as? FunctionTransactionError)?.number
    if let number { body.append("code", .int32(Int32(clamping: number))) }
    // App Services' `link` led to its log, which nobody can be shown here: the answer's X-Request-Id finds the line.
    var response = Response(appServices: problem.code.status, .document(body))
    for line in problem.fields { response.fields.append(line) }
    return response
  }

  private func told(_ error: AppServicesError?) -> (text: String, code: String?) {
    switch error {
    case .functionNotNamed?: (detail, "MissingParameter")
    case .unreadableRequest?: (detail, "BadRequest")
    case .argumentsNoArray?: (detail, "InvalidParameter")
    case .endpointNotFound?: ("endpoint not found", "IncomingWebhookNotFound")
    case .endpointNotValidated?: ("endpoint authentication failed", "IncomingWebhookAuthFailed")
    case .function(let name, let error)?: told(name, error)
    case nil where code == .appNotFound: ("cannot find app using Client App ID", "AppNotFound")
    case nil where code == .timeLimit: (detail, "ExecutionTimeLimitExceeded")
    case nil:
      switch code.status.rawValue {
      // A client that gets this renews the access token and tries once more.
      case 401: ("unauthorized", "InvalidSession")
      case 403: (detail, "NoMatchingRuleFound")
      case ..<500: (detail, "BadRequest")
      default: (detail, "InternalServerError")
      }
    }
  }

  private func told(_ name: String, _ error: FunctionError) -> (text: String, code: String?) {
    switch error {
    case .notFound: ("function not found: '\(name)'", "FunctionNotFound")
    case .isPrivate, .isDisabled, .needsCredential: (detail, "NotCallable")
    case .isProtected: ("rule not matched for function \"\(name)\"", "FunctionExecutionError")
    case .thrown(let message): (message, "FunctionExecutionError")
    case .syntax: (detail, "FunctionSyntaxError")
    case .notAFunction, .malformedConfiguration, .wrongMember: (detail, "FunctionInvalid")
    case .unwritableArguments: (detail, "InvalidParameter")
    case .notSerialisable, .resultTooDeep, .resultTooLarge, .malformedAnswer, .crashed:
      (detail, "FunctionExecutionError")
    case .timedOut: (detail, "ExecutionTimeLimitExceeded")
    case .queueFull, .overBudget, .abandoned, .runtimeMissing, .cannotStart: (detail, "InternalServerError")
    }
  }
}
