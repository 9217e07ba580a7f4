internal import CGatehouseCurl

/// Why there is no answer of another server.
public enum ClientError: Error, Hashable, Sendable {
  /// A URL or a field that cannot be sent.
  case malformedRequest
  /// The file of the request's content cannot be read, or is shorter than was said.
  case unreadableContent
  /// The host's name means no address.
  case unresolved
  /// The policy allows none of the host's addresses.
  case forbiddenAddress
  /// Nobody listens there.
  case unreachable
  /// The other side's certificate is not what it should be, or there is no TLS.
  case untrusted
  /// The other side does not take the user and password.
  case refusedLogin
  case timedOut
  /// The connection ended before the answer did, or what came is no HTTP.
  case interrupted
  /// The answer is larger than the request allows.
  case tooLarge
  case cancelled
  /// libcurl says so, by its number.
  case failed(code: Int)

  init(_ code: CURLcode) {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .malformedRequest
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolved
    case CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CACERT_BADFILE:
      self = .untrusted
    case CURLE_USE_SSL_FAILED: self = .untrusted
    case CURLE_LOGIN_DENIED: self = .refusedLogin
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY:
      self = .interrupted
    default: self = .failed(code: Int(code.rawValue))
    }
  }
}
