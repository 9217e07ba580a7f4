/// A system call failed with that `errno`.
public struct PollingError: Error, Hashable {
  public let call: String
  public let code: Int32
}
