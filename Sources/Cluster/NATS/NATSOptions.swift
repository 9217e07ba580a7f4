public import GatehouseScheduling

/// Where the NATS servers are, and how they are spoken to.
public struct NATSOptions: Sendable {
  /// The servers to begin with; those tell of others.
  public var addresses: [ServerAddress]
  public var credentials = NATSCredentials.none
  /// Whether TLS is used though the server would do without.
  public var usesTLS = false
  /// A file in PEM of the authorities that are trusted; nil: those of the system.
  public var authorities: String?
  /// The addresses at which the servers tell of themselves over HTTP (`http_port`): only there do they say when they sync.
  public var monitoring: [ServerAddress] = []
  /// The name of the log: letters, digits, `-` and `_`.
  public var name: LogName
  /// The copies of a log that is made anew.
  public var replicas = 3
  /// The most bytes of all entries together, beyond which the oldest ones leave the log; it is reserved when the log is made.
  public var logSize: Int64 = 4 << 30
  public var connectLimit: Duration = .seconds(1)
  public var scheduler: any Scheduler = DispatchScheduler()

  public init(addresses: [ServerAddress], name: LogName) {
    (self.addresses, self.name) = (addresses, name)
  }
}
