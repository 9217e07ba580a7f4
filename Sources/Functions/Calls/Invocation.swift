public import GatehouseBSON
public import GatehouseSharing

/// A call of a function.
public struct Invocation: Sendable {
  /// The origin of a call.
  public enum Origin: Sendable {
    /// A request.
    case outside
    /// A request to an HTTPS endpoint, which may call private ones.
    case endpoint
    /// Another function, which may call private ones.
    case function
  }

  public let name: String
  public let arguments: [Value]
  /// The request's identifier in logs.
  public var requestID: String?
  /// The caller, as `context.user` shows it, without `id` where they showed no credential; nil: the gateway itself.
  public var user: Document?
  /// The user as whom it is done, as `context.user` shows them, where that is another one than the caller; rules are about the caller.
  public var actingUser: Document?
  /// The caller whose share of the workers the call takes.
  public var caller: Caller
  /// Whether what it asks for, it gets as the gateway itself, whatever its entry says.
  public var runsAsSystem = false
  /// Whether it answers an HTTP request, and gets an argument more by which it says what the response is.
  public var writesResponse = false

  public init(
    name: String, arguments: [Value], requestID: String? = nil, user: Document? = nil,
    caller: Caller = .process
  ) {
    self.name = name
    self.arguments = arguments
    self.requestID = requestID
    self.user = user
    self.caller = caller
  }
}
