public import GatehouseScheduling

/// Where the etcd servers are, and how they are spoken to.
public struct EtcdOptions: Sendable {
  /// The addresses at which the servers take requests of clients.
  public var addresses: [ServerAddress]
  /// Whether requests go by TLS.
  public var usesTLS = false
  /// A file in PEM of the authorities that are trusted; nil: those of the system.
  public var authorities: String?
  /// The name and the password of a user; nil: the servers ask for none.
  public var user: (name: String, password: String)?
  /// The name of the log: letters, digits, `-` and `_`.
  public var name: LogName
  public var scheduler: any Scheduler = DispatchScheduler()

  public init(addresses: [ServerAddress], name: LogName) {
    (self.addresses, self.name) = (addresses, name)
  }
}
