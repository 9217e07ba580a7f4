import GatehouseBSON
import GatehouseHTTP

extension APIError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .misdirected:
      let detail =
        "Requests to this host are not answered here; the setting “hosts” lists the names that are."
      return Problem(.misdirectedRequest, detail, header: "Host")
    case .crossOrigin:
      let detail = """
        Web pages of other origins are not answered by a server without keys; the setting “cors.origins” lists those \
        that are.
        """
      return Problem(.crossOrigin, detail, header: "Origin")
    case .stopping:
      return Problem(.stopping, "The server is about to stop.")
    case .noCluster:
      return Problem(.noCluster, "This server is no node of a cluster.")
    case .notLeader:
      return Problem(
        .notLeader, "The node that takes writes answers this, and cannot be reached; nothing was done.")
    case .outOfDate:
      return Problem(
        .outOfDate,
        "This node has not heard lately of what is written elsewhere: ask another one, or once more.")
    case .unauthorized(let error):
      let detail =
        error == .unknown
        ? "The credential is not, or no longer, a good one."
        : "This takes a credential: Authorization: Bearer …"
      return Problem(
        .unauthorized, detail, fields: [Fields.Line(name: "www-authenticate", value: error.challenge)])
    case .tooManyAttempts(let seconds):
      return Problem(
        .tooManyAttempts, "Too many logins failed.",
        fields: [Fields.Line(name: "retry-after", value: String(seconds))])
    case .rateLimited(let seconds):
      return Problem(
        .rateLimited, "There were too many requests.",
        fields: [Fields.Line(name: "retry-after", value: String(seconds))])
    case .triggerNotFound:
      return Problem(.triggerNotFound, "There is no trigger of that name.")
    case .taskNotFound:
      return Problem(.taskNotFound, "There is no task of that name here.")
    case .sessionNotFound:
      return Problem(.sessionNotFound, "The user has no such session.")
    case .taskRunning:
      return Problem(.taskRunning, "The task runs already.")
    case .keyNotFound:
      return Problem(.keyNotFound, "There is no key with that identifier.")
    case .rolesInFile:
      return Problem(
        .rolesInFile, "The roles are those of auth/roles.json in the data directory: change them there.")
    case .invalidMembers(let errors):
      return Problem(
        .invalidContent, "The content is not what this resource takes.",
        errors: errors.map {
          Problem.Entry(.pointer($0.pointer, line: nil), $0.rule.rawValue, detail: $0.rule.detail)
        })
    case .routeNotFound:
      return Problem(.routeNotFound, "There is nothing at this path.")
    case .methodNotAllowed(let allow):
      let methods = allow.map(\.rawValue).joined(separator: ", ")
      return Problem(
        .methodNotAllowed, "This resource has \(methods).",
        fields: [Fields.Line(name: "allow", value: methods)])
    case .notAcceptable(let offers):
      return Problem(.notAcceptable, "This resource comes as \(offers.map(\.name).joined(separator: ", ")).")
    case .unsupportedMediaType(let method, let types):
      return Problem(unsupportedFor: method, types)
    case .unsupportedContentCoding:
      // RFC 9110 §15.5.16: the field says which codings would have been accepted.
      return Problem(
        .unsupportedContentCoding, "Content is taken without Content-Encoding only.",
        fields: [Fields.Line(name: "accept-encoding", value: "identity")])
    case .unknownParameter(let name, let nearest, let known):
      return Problem(unknownParameter: name, nearest: nearest, known: known.map(\.rawValue))
    case .repeatedParameter(let name):
      return Problem(
        .repeatedParameter, "The parameter “\(name.rawValue)” is given more than once.", parameter: name)
    case .invalidParameter(let name):
      return Problem(
        .invalidParameter, "The parameter “\(name.rawValue)” must be \(name.expectation).", parameter: name)
    case .missingParameter(let name):
      return Problem(.missingParameter, "The parameter “\(name.rawValue)” must be given.", parameter: name)
    case .limitOutOfRange(let name, let maximum):
      let most = maximum == .max ? "" : " to \(maximum)"
      return Problem(
        .limitOutOfRange, "The parameter “\(name.rawValue)” must be a whole number from 1\(most).",
        parameter: name)
    case .malformedArguments(let name, let error):
      let entry = Problem.Entry(
        .parameter(name.rawValue, offset: error.offset), error.rule.code, detail: error.rule.detail)
      return Problem(.malformedArguments, "The parameter “\(name.rawValue)” is not JSON.", errors: [entry])
    case .contradictoryParameters(let one, let other):
      let detail = "The parameters “\(one.rawValue)” and “\(other.rawValue)” exclude each other."
      return Problem(.contradictoryParameters, detail, parameter: other)
    case .notParameters:
      return Problem(.invalidQuery, "The content must be an object whose members are the query's parameters.")
    case .missingMember(let name):
      let entry = Problem.Entry(
        .pointer("/\(name)", line: nil), "member_missing", detail: "This member is missing.")
      return Problem(.missingParameter, "The member “\(name)” must be given, as text.", errors: [entry])
    case .invalidCursor:
      return Problem(
        .invalidCursor, "The cursor is none of those that “next” links carry.", parameter: .cursor)
    case .foreignCursor:
      return Problem(.foreignCursor, "The cursor belongs to another query.", parameter: .cursor)
    case .unknownClass(let name, let nearest):
      return Problem(unknownClass: name, nearest: nearest)
    case .embeddedClass(let name):
      return Problem(.embeddedClass, "Objects of class “\(name)” live inside others and have no collection.")
    case .invalidIdentifier(let name):
      return Problem(
        .invalidIdentifier, "The path has no well-formed identifier of an object of class “\(name)”.")
    case .invalidPath(let error):
      return error.problem
    case .readOnlyProperty(let allow):
      let methods = allow.map(\.rawValue).joined(separator: ", ")
      return Problem(
        .readOnlyProperty, "Linking objects follow from the links of others and cannot be written.",
        fields: [Fields.Line(name: "allow", value: methods)])
    case .invalidPatch:
      return Problem(
        .invalidPatch,
        "A list takes {\"move\": {\"from\", \"to\"}}, a set {\"union\"}, {\"subtract\"} or {\"intersect\"} of an array."
      )
    case .invalidPrecondition(let field):
      let detail = "The field \(field) is malformed, or asks for what this resource cannot tell."
      return Problem(.invalidPrecondition, detail, header: field)
    case .tooManyClasses(let limit):
      let detail =
        "There are \(limit) classes: an insert makes no other. Classes that nobody needs can be removed from the schema, and others added to it."
      return Problem(.invalidSchema, detail)
    case .preconditionFailed:
      return Problem(.preconditionFailed, "The object has changed since.")
    case .preconditionRequired(let place):
      return Problem(preconditionRequiredAt: place)
    case .invalidAuditField(let name):
      let detail = "The field \(name) names no scope or no activity: scopes are numbers with commas between."
      return Problem(.invalidAuditField, detail, header: name)
    case .invalidAuditContent(let pointer):
      let detail = "This member is missing, unknown or no text."
      return Problem(
        .invalidAuditContent, "The content should be an object of texts.",
        errors: [Problem.Entry(.pointer(pointer, line: nil), "invalid_member", detail: detail)])
    case .invalidIdempotencyKey:
      let detail = "The field Idempotency-Key must be a string in quotes of 1 to 255 characters."
      return Problem(.invalidIdempotencyKey, detail, header: "Idempotency-Key")
    case .idempotencyKeyInUse:
      return Problem(.idempotencyKeyInUse, "A request with that Idempotency-Key is being answered.")
    case .invalidTicket:
      return Problem(
        .invalidTicket, "The ticket was used, has expired, or is for another URL: ask for a new one.",
        fields: [Fields.Line(name: "www-authenticate", value: CredentialError.unknown.challenge)])
    case .ticketNotTaken:
      return Problem(
        .ticketNotTaken, "A ticket opens an event stream: GET, with Accept: text/event-stream.")
    case .tooManyTickets(let seconds):
      return Problem(
        .tooManyTickets, "There are as many tickets as there may be.",
        fields: [Fields.Line(name: "retry-after", value: String(seconds))])
    case .notWatchable:
      return Problem(.notWatchable, "The URL is of nothing that has an event stream.")
    case .tooManySubscribers:
      return Problem(
        .tooManySubscribers, "There are as many event streams as there may be.",
        fields: [Fields.Line(name: "retry-after", value: "10")])
    case .invalidTransaction(let errors):
      return Problem(
        .invalidTransaction, "The content is no transaction.", errors: errors.map(Problem.Entry.init))
    case .malformedContent(let error):
      return error.problem
    case .lineTooLong(let line, let limit):
      return Problem(.contentTooLarge, "Line \(line) has more than \(limit) bytes.")
    case .invalidObjects(let problems):
      return Problem(ofObject: problems.map(Problem.Entry.init))
    case .noArguments:
      let detail = "The content must be an array of arguments, or a document with “arguments”, an array."
      return Problem(.invalidArguments, detail)
    case .classNameMismatch:
      return Problem(
        .classNameMismatch, "The class in the content has another name than the one in the path.")
    }
  }
}

extension Problem {
  /// A problem with one field of the head.
  fileprivate init(_ code: Code, _ detail: String, header field: String) {
    self.init(code, detail, errors: [Entry(.header(field), code.rawValue, detail: detail)])
  }

  fileprivate init(preconditionRequiredAt place: Content.Place?) {
    guard let place else {
      self.init(.preconditionRequired, "The object may only be changed with If-Match.", header: "If-Match")
      return
    }
    let detail = "The object may only be changed with “ifVersion”."
    let entry = Entry(
      .pointer(place.pointer, line: place.line), Code.preconditionRequired.rawValue, detail: detail)
    self.init(.preconditionRequired, detail, errors: [entry])
  }

  /// A problem with one query parameter.
  fileprivate init(_ code: Code, _ detail: String, parameter name: Parameters.Name) {
    let entry = Entry(.parameter(name.rawValue, offset: nil), code.rawValue, detail: detail)
    self.init(code, detail, errors: [entry])
  }

  fileprivate init(unknownParameter name: String, nearest: String?, known: [String]) {
    let hint =
      if let nearest {
        "did you mean “\(nearest)”?"
      } else if known.isEmpty {
        "this resource has none."
      } else {
        "known are \(known.joined(separator: ", "))."
      }
    let isName = nearest != nil || name.isPlainName
    let detail = "There is no parameter \(isName ? "“\(name)”" : "of that name"); \(hint)"
    let entry = Entry(
      .parameter(isName ? name : "", offset: nil), "unknown_parameter", detail: detail,
      expectation: Expectation(nearest: nearest))
    self.init(.unknownParameter, detail, errors: [entry])
  }

  fileprivate init(unknownClass name: String, nearest: String?) {
    let hint = nearest.map { "; did you mean “\($0)”?" } ?? "."
    self.init(.unknownClass, "The schema has no such class\(hint)")
  }

  fileprivate init(unsupportedFor method: Method, _ types: [ContentType]) {
    let types = types.map(\.name).joined(separator: ", ")
    // RFC 5789 §2.2, RFC 10008 §3, and for POST the W3C's Linked Data Platform 1.0 §7.1. PUT has no such field.
    let name: String? =
      switch method {
      case .patch: "accept-patch"
      case .post: "accept-post"
      case .query: "accept-query"
      default: nil
      }
    self.init(
      .unsupportedMediaType, "Content-Type must say one of \(types).",
      fields: name.map { [Fields.Line(name: $0, value: types)] } ?? [])
  }
}

extension String {
  /// Whether it is a word or some, and so nothing else that was put in the wrong place, such as a token.
  fileprivate var isPlainName: Bool {
    (1...24).contains(utf8.count)
      && utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F || $0 == 0x2D }
  }
}

extension MemberError.Rule {
  fileprivate var detail: String {
    switch self {
    case .missing: "This member is missing."
    case .unknownMember: "This member means nothing here."
    case .wrongType: "The member has a value of the wrong type."
    case .unknownClass: "The schema has no such class."
    case .unknownRole: "There is no such role."
    case .repeated: "Another one has the same value."
    case .tooMany: "There are more values than there may be."
    }
  }
}

extension Parameters.Name {
  /// The values that the parameter takes, in words.
  fileprivate var expectation: String {
    switch self {
    case .args: "a JSON array"
    case .mode:
      "error, modified or all; of an event stream events or results, as its other parameters have it"
    case .destructive: "true or false"
    case .limit: "a whole number"
    case .rename: "a list of Class.old:new"
    case .since: "0, now, a version, a version and a number (12-3), or a time"
    case .explain, .values, .link: "true or false"
    case .confirm: "the name of what is removed"
    case .app: "the name of an app"
    case .format: "openapi or jsonschema"
    case .filter, .sort, .distinct, .cursor, .fields, .expand, .projection, .aggregate, .sectionBy:
      "text, and have a meaning here"
    case .keyPaths: "paths of properties, and of objects"
    case .class: "well-formed"
    case .only: "keys, values or count"
    case .contains, .indexOf: "JSON of an element, or for contains in a map a key"
    case .uniquing: "new, old or error"
    case .at, .from, .count: "a whole number"
    case .baasRequest, .stitchRequest: "a JSON object in Base64"
    case .baasToken, .stitchToken: "an access token"
    }
  }
}
