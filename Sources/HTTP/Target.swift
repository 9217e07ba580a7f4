/// A request target in origin-form (RFC 9112 §3.2.1), split but not yet decoded.
public struct Target: Hashable, Sendable {
  /// From the leading `/` to before the `?`, percent-encoded.
  public var path: String
  /// After the `?`, percent-encoded; nil when there is no `?`.
  public var query: String?

  public init(path: String, query: String? = nil) {
    self.path = path
    self.query = query
  }
}
