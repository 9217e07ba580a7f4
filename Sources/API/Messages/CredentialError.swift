/// A reason to refuse a request's credential.
enum CredentialError: Hashable {
  /// The request has no credential.
  case missing
  /// The credential is no bearer token.
  case scheme
  /// The credential is none of ours, or no longer.
  case unknown

  /// The challenge (RFC 6750 §3).
  var challenge: String {
    switch self {
    case .missing, .scheme: #"Bearer realm="gatehouse""#
    case .unknown: #"Bearer realm="gatehouse", error="invalid_token""#
    }
  }
}
