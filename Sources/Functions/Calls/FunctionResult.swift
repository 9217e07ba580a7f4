public import GatehouseBSON

/// The result of a call.
public struct FunctionResult: Sendable {
  public let value: Value
  /// The response of a function that answers an HTTP request: `status`, `fields` (documents of `name` and `value`),
  /// `body`; each may be missing. Nil: the function has no way to say something.
  public let response: Document?
}
