public import GatehouseBSON
public import GatehouseFunctions
import GatehouseStorage

/// The ways in which triggers act.
public struct TriggerActions: Sendable {
  /// Calls a function as the gateway itself.
  public typealias Call = @Sendable (Invocation) async throws(FunctionError) -> Value
  /// Sends a webhook with a content, under an identifier that is the same when it is sent again. Returns why it was not taken;
  /// nil: it was.
  public typealias Send = @Sendable (Webhook, _ content: [UInt8], _ id: String) async -> String?

  let call: Call
  let send: Send
  /// The number of the shard whose changes are told, which has a log of its own; nil: no other store has changes of the same classes.
  public var shard: Int?

  public init(
    send: @escaping Send = { _, _, _ in "There is no way to send webhooks." }, _ call: @escaping Call
  ) {
    (self.call, self.send) = (call, send)
  }

  /// Returns the identifier of the event of a change, which no other event of a trigger has.
  func identifier(of position: LogPosition) -> String {
    (shard.map { "\($0)_" } ?? "") + position.text
  }
}
