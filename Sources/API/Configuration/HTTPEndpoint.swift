public import GatehouseHTTP

/// A route of an app that a function answers: App Services' HTTPS endpoints.
public struct HTTPEndpoint: Hashable, Sendable {
  /// The proof of its sender that a request has to bring, beside what the function asks for.
  public enum Validation: Hashable, Sendable {
    case none
    /// The secret of that name is not there: no request is valid.
    case lacking(secret: String)
    /// The parameter `secret` is the secret.
    case secret(String)
    /// The field `Endpoint-Signature` has the content's HMAC-SHA-256 with the secret.
    case signature(String)
  }

  /// The path behind `/app/ID/endpoint`, which begins with a slash.
  public let route: String
  /// Nil: any.
  public let method: Method?
  public let function: String
  public var validation = Validation.none
  public var isDisabled = false
  /// Whether the function's result is the content of the answer, where the function has not set one.
  public var respondsWithResult = true
  /// Whether the result is written as canonical Extended JSON, and not as JSON.
  public var returnsExtendedJSON = false
  /// Whether the function sees the custom data of its caller.
  public var fetchesCustomData = false

  public init(_ route: String, _ method: Method?, calls function: String) {
    (self.route, self.method, self.function) = (route, method, function)
  }
}
