public import Foundation

/// The parts of an app's configuration: where its server is, and how it is asked.
public typealias AppConfiguration = RLMAppConfiguration

/// The time limits of synchronization, in milliseconds. Nothing is synchronized here: they are kept, and of no effect.
public final class SyncTimeoutOptions {
  /// The time to connect.
  public var connectTimeout: UInt = 120_000
  /// The time that a connection stays without sessions.
  public var connectionLingerTime: UInt = 30_000
  /// The time between two pings.
  public var pingKeepalivePeriod: UInt = 60_000
  /// The time until a ping is answered.
  public var pongKeepaliveTimeout: UInt = 120_000
  /// The age of a connection below which one that is lost is made again at once.
  public var fastReconnectLimit: UInt = 60_000

  /// Makes the defaults.
  public init() {}
}

/// The parts of an app's configuration: where its server is, and how it is asked.
public final class RLMAppConfiguration {
  /// The address of the gateway; nil: `http://127.0.0.1:8080`, where one listens unless it is told otherwise.
  public var baseURL: String?
  /// Sends the requests; nil: libcurl does.
  public var transport: RLMNetworkTransport?
  /// Milliseconds that a request may take.
  public var defaultRequestTimeoutMS: UInt = 60_000
  /// Synchronization only; of no effect.
  public var enableSessionMultiplexing = true
  /// Synchronization only; of no effect.
  public var syncTimeouts = SyncTimeoutOptions()
  /// The directory below which the users and their tokens are kept; nil: where the program keeps its data.
  public var rootDirectory: URL?

  /// Says where an app's server is, and how it is asked.
  public init(
    baseURL: String? = nil, transport: RLMNetworkTransport? = nil, defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.baseURL = baseURL
    self.transport = transport
    if let defaultRequestTimeoutMS { self.defaultRequestTimeoutMS = defaultRequestTimeoutMS }
    if let enableSessionMultiplexing { self.enableSessionMultiplexing = enableSessionMultiplexing }
    if let syncTimeouts { self.syncTimeouts = syncTimeouts }
  }

  /// The same, with names of the program that are used for nothing.
  @available(*, deprecated, message: "localAppName and localAppVersion are not used for anything")
  public convenience init(
    baseURL: String? = nil, transport: RLMNetworkTransport? = nil, localAppName: String?,
    localAppVersion: String?, defaultRequestTimeoutMS: UInt? = nil, enableSessionMultiplexing: Bool? = nil,
    syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.init(
      baseURL: baseURL, transport: transport, defaultRequestTimeoutMS: defaultRequestTimeoutMS,
      enableSessionMultiplexing: enableSessionMultiplexing, syncTimeouts: syncTimeouts)
  }
}

/// A configuration as an app has taken it, which does not change any more.
struct AppSettings: Sendable {
  static let defaultURL = "http://127.0.0.1:8080"

  let baseURL: String
  let transport: RLMNetworkTransport
  let timeout: UInt
  let rootDirectory: URL?

  init(_ configuration: AppConfiguration) {
    baseURL = Self.address(configuration.baseURL ?? Self.defaultURL)
    transport = configuration.transport ?? RLMNetworkTransport()
    timeout = configuration.defaultRequestTimeoutMS
    rootDirectory = configuration.rootDirectory
  }

  /// Returns an address without slashes at its end.
  static func address(_ url: String) -> String {
    var url = url
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }

  /// The directory of an app's users: its name, and that of its server, so that no token is sent to another one.
  func directory(of app: String) -> String {
    let root = rootDirectory?.path ?? Realm.Configuration.dataDirectory
    let server = baseURL.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    return "\(root)/mongodb-realm/\(FileName.of(app))/\(FileName.of(String(server)))"
  }
}
