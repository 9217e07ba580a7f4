public import GatehouseBSON
public import GatehouseFunctions

/// The ways in which triggers act.
public struct TriggerActions: Sendable {
  /// Calls a function as the gateway itself.
  public typealias Call = @Sendable (Invocation) async throws(FunctionError) -> Value
  /// Sends a webhook with a content, under an identifier that is the same when it is sent again. Returns why it was not taken;
  /// nil: it was.
  public typealias Send = @Sendable (Webhook, _ content: [UInt8], _ id: String) async -> String?

  let call: Call
  let send: Send

  public init(
    send: @escaping Send = { _, _, _ in "There is no way to send webhooks." }, _ call: @escaping Call
  ) {
    (self.call, self.send) = (call, send)
  }
}
