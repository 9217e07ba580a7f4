/// The caller that a share is counted for: an address and a principal.
public struct Caller: Hashable, Sendable {
  /// The network address without port; of IPv6 the /64 network, which is what one user has.
  public let address: UInt64
  /// The principal's name; empty for requests without a credential.
  public let principal: String

  public init(address: UInt64, principal: String = "") {
    self.address = address
    self.principal = principal
  }

  /// The process itself, such as a job that runs from time to time.
  public static let process = Caller(address: .max, principal: "system")
}
