/// The host and port of a log server.
public struct ServerAddress: Hashable, Sendable {
  /// A name, or an address; one of version 6 without brackets.
  public let host: String
  public let port: UInt16

  /// Reads `host:port` or `[::1]:port`; nil: it is none.
  public init?(hostAndPort text: some StringProtocol) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    let isHost = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard isHost, !host.isEmpty, host.utf8.count <= 255 else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  private init(host: String, port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  /// The same host with another port.
  func with(port: UInt16) -> ServerAddress { ServerAddress(host: host, port: port) }
}

extension ServerAddress: CustomStringConvertible {
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
