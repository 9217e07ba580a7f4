/// A request method (RFC 9110 §9), case-sensitive.
public enum Method: String, Hashable, Sendable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"
  /// RFC 10008.
  case query = "QUERY"
}
