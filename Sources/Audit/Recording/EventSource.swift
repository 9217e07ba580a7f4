/// Who stores an event of their own.
public struct EventSource: Hashable, Sendable {
  /// Nobody but the program itself, which is not counted.
  public static let program = EventSource(caller: "program", account: nil)

  /// What is stored of them, as ``Metadata/callerKey``.
  public let caller: String
  /// What their events are counted by; nil: they are not.
  let account: String?

  public init(caller: String, account: String?) {
    self.caller = caller
    self.account = account
  }
}
