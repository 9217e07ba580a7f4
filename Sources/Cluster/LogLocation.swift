/// Where the log of a cluster is, as a setting says it.
///
/// ```
/// nats://n1,n2,n3                                   three servers at port 4222, which tell of themselves at 8222
/// nats://user:password@n1:4222,n2:4222/shop         with a user, and a log that is not called gatehouse
/// tls://token@n1,n2,n3?authorities=/etc/ca.pem      by TLS
/// nats://n1,n2,n3?credentials=/etc/gatehouse.creds  with a file of nsc, or one that has a seed
/// nats://127.0.0.1?single=yes                       one server, for programmers
/// nats://n1,n2,n3?begin=no                          a log that has had entries
/// etcd://e1,e2,e3                                   etcd at port 2379; etcds:// by TLS
/// ```
public struct LogLocation: Sendable {
  public enum Servers: Sendable {
    case nats(NATSOptions)
    case etcd(EtcdOptions)
  }

  public var servers: Servers
  /// A file with credentials, which whoever makes the log reads into ``NATSOptions/credentials``.
  public let credentialsFile: String?
  /// Whether one server will do, which may acknowledge what it has not synced.
  public let allowsSingleServer: Bool
  /// Whether an empty log may be a new one, which a node with an empty store begins: otherwise it has lost what it had.
  public let mayBegin: Bool

  /// Throws ``LogLocationError``.
  public init(_ text: String) throws(LogLocationError) {
    guard let scheme = text.firstRange(of: "://") else { throw .unknownScheme }
    let rest = text[scheme.upperBound...]
    let query = rest.firstIndex(of: "?")
    let parameters = try LogParameters(query.map { rest[rest.index(after: $0)...] } ?? "")
    var authority = rest[..<(query ?? rest.endIndex)]
    var name = "gatehouse"
    if let slash = authority.firstIndex(of: "/") {
      name = String(authority[authority.index(after: slash)...])
      authority = authority[..<slash]
    }
    guard let name = LogName(name) else { throw .malformedName }
    // A password may have an `@` of its own.
    let at = authority.lastIndex(of: "@")
    let user = at.map { authority[..<$0] }
    let hosts = at.map { authority[authority.index(after: $0)...] } ?? authority
    (allowsSingleServer, mayBegin) = (parameters.allowsSingleServer, parameters.mayBegin)
    switch text[..<scheme.lowerBound] {
    case "nats", "tls":
      let addresses = try LogLocation.addresses(hosts, port: 4222)
      var options = NATSOptions(addresses: addresses, name: name)
      options.usesTLS = text.hasPrefix("tls")
      options.authorities = parameters.authorities
      options.credentials = LogLocation.credentials(user)
      options.replicas = allowsSingleServer && addresses.count < 3 ? 1 : 3
      options.monitoring = addresses.map { $0.with(port: parameters.monitoringPort) }
      credentialsFile = parameters.credentials
      servers = .nats(options)
    case "etcd", "etcds":
      guard parameters.credentials == nil else { throw .unknownParameter("credentials") }
      var options = EtcdOptions(addresses: try LogLocation.addresses(hosts, port: 2379), name: name)
      options.usesTLS = text.hasPrefix("etcds")
      options.authorities = parameters.authorities
      if case .password(let name, let password) = LogLocation.credentials(user) {
        options.user = (name, password)
      }
      credentialsFile = nil
      servers = .etcd(options)
    default: throw .unknownScheme
    }
  }

  /// The most bytes of an app's log. A server reserves them for each, so that they are far fewer than for the default database: a node that
  /// was away for long copies a store.
  static let appLogSize: Int64 = 64 << 20

  /// Returns where the log of an app is.
  ///
  /// - Parameter identity: Letters and digits that no other app has, nor one that had its name before.
  public func ofApp(_ identity: String) -> LogLocation {
    var location = self
    switch servers {
    case .nats(var options):
      options.name = LogName(ofApp: identity, beside: options.name)
      options.logSize = min(options.logSize, LogLocation.appLogSize)
      location.servers = .nats(options)
    case .etcd(var options):
      options.name = LogName(ofApp: identity, beside: options.name)
      location.servers = .etcd(options)
    }
    return location
  }

  private static func credentials(_ user: Substring?) -> NATSCredentials {
    guard let user else { return .none }
    guard let colon = user.firstIndex(of: ":") else { return .token(String(user)) }
    return .password(user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
  }

  private static func addresses(
    _ hosts: Substring, port: UInt16
  ) throws(LogLocationError) -> [ServerAddress] {
    var addresses: [ServerAddress] = []
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      addresses.append(try address(String(host), port: port))
    }
    return addresses
  }

  /// Reads a host, with its port or without.
  private static func address(_ text: String, port: UInt16) throws(LogLocationError) -> ServerAddress {
    if let address = ServerAddress(hostAndPort: text) { return address }
    guard let address = ServerAddress(hostAndPort: "\(text):\(port)") else { throw .malformedHost(text) }
    return address
  }
}

/// Why a text is no ``LogLocation``. No case has anything of credentials in it.
public enum LogLocationError: Error, Hashable, Sendable {
  /// It begins with none of `nats://`, `tls://`, `etcd://` and `etcds://`.
  case unknownScheme
  case malformedHost(String)
  /// The name of a log has 1 to 64 letters, digits, `-` and `_`.
  case malformedName
  case unknownParameter(String)
  /// The parameter has a value that it cannot have.
  case malformedParameter(String)
}

/// The parameters behind the question mark.
private struct LogParameters {
  var authorities: String?
  var credentials: String?
  var allowsSingleServer = false
  var mayBegin = true
  var monitoringPort: UInt16 = 8222

  init(_ query: Substring) throws(LogLocationError) {
    for parameter in query.split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
      switch name {
      case "authorities" where value.hasPrefix("/"): authorities = value
      case "credentials" where value.hasPrefix("/"): credentials = value
      case "single" where value == "yes" || value == "no": allowsSingleServer = value == "yes"
      case "begin" where value == "yes" || value == "no": mayBegin = value == "yes"
      case "monitor":
        guard let port = UInt16(value), port > 0 else { throw .malformedParameter(name) }
        monitoringPort = port
      case "authorities", "credentials", "single", "begin": throw .malformedParameter(name)
      default: throw .unknownParameter(name)
      }
    }
  }
}
