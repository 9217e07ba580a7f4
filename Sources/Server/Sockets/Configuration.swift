public import GatehouseHTTP
public import GatehouseTelemetry
internal import Glibc

/// How a server is to run.
public struct Configuration: Sendable {
  /// Where to listen.
  public var addresses: [SocketAddress]
  /// Where to listen for TLS.
  public var secureAddresses: [SocketAddress] = []
  /// Sockets that listen already; those whose name begins with `tls` are for TLS.
  public var sockets: [Activation.Socket] = []
  /// The certificate of TLS listeners; nil where there are none.
  public var certificate: Certificate?
  /// Event loops; 0 for as many as there are processors.
  public var loopCount = 0
  public var limits = Limits()
  /// Connections in all; more are closed as they come.
  public var connections = 16_384
  /// Connections per client address (per /64 for IPv6); more are closed as they come.
  public var connectionsPerAddress = 4_096
  /// The proxies that are believed when they say for whom they ask.
  public var proxies = TrustedProxies()
  /// Whether each connection of those proxies begins with a header of the PROXY protocol.
  public var takesProxyHeader = false
  /// Connections that may wait to be accepted, per loop.
  public var backlog: Int32 = 1_024
  /// The value of the `server` field of responses, which is left out by default.
  public var serverField: String?
  /// Which web pages may read the answers to requests that no handler sees, because they broke a rule of HTTP; nil:
  /// none of another origin.
  public var cors: CORSPolicy?
  /// Takes lines of the log, JSON objects that end in line feeds; called on event loops.
  public var log: (@Sendable ([UInt8]) -> Void)?
  /// Where the server's metrics go; with as many shards as there are loops.
  public var metrics: Registry?
  /// Takes a span for each request that is recorded in a trace; nil: none is.
  public var spans: SpanQueue?
  /// Whether responses tell in `server-timing` how long the handler took.
  public var tellsTiming = false
  /// How often deadlines are looked at.
  public var tick: Duration = .milliseconds(250)

  /// The number of event loops that there will be.
  public var effectiveLoopCount: Int {
    loopCount > 0 ? loopCount : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  public init(addresses: [SocketAddress]) {
    self.addresses = addresses
  }
}
