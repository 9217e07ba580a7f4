/// Why a request's credential does not do.
enum CredentialError: Hashable {
  /// There is none.
  case missing
  /// It is no bearer token.
  case scheme
  /// It is none of ours, or no longer.
  case unknown

  /// The challenge (RFC 6750 §3).
  var challenge: String {
    switch self {
    case .missing, .scheme: #"Bearer realm="gatehouse""#
    case .unknown: #"Bearer realm="gatehouse", error="invalid_token""#
    }
  }
}
