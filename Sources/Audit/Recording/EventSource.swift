/// The origin of an event that a client or a program stores itself.
public struct EventSource: Hashable, Sendable {
  /// Nobody but the program itself, which is not counted.
  public static let program = EventSource(caller: "program", account: nil)

  /// The value of ``Metadata/callerKey`` in the event.
  public let caller: String
  /// The account whose rate of events counts it; nil if the source is not limited.
  let account: String?

  public init(caller: String, account: String?) {
    self.caller = caller
    self.account = account
  }
}
