public import HTTP

/// How a server is to run.
public struct Configuration: Sendable {
  /// Where to listen.
  public var addresses: [SocketAddress]
  /// Where to listen for TLS.
  public var secureAddresses: [SocketAddress] = []
  /// Sockets that listen already; those whose name begins with `tls` are for TLS.
  public var sockets: [Activation.Socket] = []
  /// What TLS listeners need.
  public var certificate: Certificate?
  /// Event loops; 0 for as many as there are processors.
  public var loopCount = 0
  public var limits = Limits()
  /// Connections in all; more are closed as they come.
  public var connections = 16_384
  /// Connections per client address (per /64 for IPv6); more are closed as they come.
  public var connectionsPerAddress = 4_096
  /// Connections that may wait to be accepted, per loop.
  public var backlog: Int32 = 1_024
  /// The value of the `server` field of responses, which is left out by default.
  public var serverField: String?
  /// How often deadlines are looked at.
  public var tick: Duration = .milliseconds(250)

  public init(addresses: [SocketAddress]) {
    self.addresses = addresses
  }
}
