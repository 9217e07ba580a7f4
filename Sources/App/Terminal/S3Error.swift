import GatehouseOutbound

/// Why an S3 server did not do what it was asked for.
enum S3Error: Error, Hashable, Sendable {
  case missingCredentials
  case unanswered(ClientError, host: String)
  /// `what` is the bucket, or an object.
  case refused(status: Int, code: String, message: String, what: String)

  /// Whether it may be otherwise in a moment.
  var mayPass: Bool {
    switch self {
    case .missingCredentials: false
    case .unanswered(let error, _):
      switch error {
      case .unresolved, .unreachable, .timedOut, .interrupted: true
      case .malformedRequest, .unreadableContent, .forbiddenAddress, .untrusted, .refusedLogin, .tooLarge,
        .cancelled, .failed:
        false
      }
    case .refused(let status, _, _, _): status >= 500 || status == 429
    }
  }

  var text: String {
    switch self {
    case .missingCredentials: "an S3 server needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    case .unanswered(let error, let host): "\(host) does not answer: \(error.text)"
    case .refused(let status, let code, let message, let what):
      "\(what): \([code, message].filter { !$0.isEmpty }.joined(separator: ": ")) (\(status))"
    }
  }
}

extension ClientError {
  /// The reason in words, behind the name of a server.
  var text: String {
    switch self {
    case .malformedRequest: "its URL is none"
    case .unreadableContent: "what is to be sent cannot be read"
    case .unresolved: "its name has no address"
    case .forbiddenAddress: "its address is private, and the setting outbound.allow does not name it"
    case .unreachable: "nobody listens there"
    case .untrusted: "its certificate is not trusted, or it speaks no TLS"
    case .refusedLogin: "it does not take the user and password"
    case .timedOut: "it takes too long"
    case .interrupted: "the connection broke"
    case .tooLarge: "its answer is too large"
    case .cancelled: "the request was given up"
    case .failed(let code): "libcurl's error \(code)"
    }
  }
}
