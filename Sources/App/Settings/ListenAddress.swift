/// Where the server listens: an IPv4 or IPv6 address and a port, such as `127.0.0.1:8080` or `[::1]:8080`.
struct ListenAddress: Hashable, Sendable {
  /// Numeric, without brackets.
  let host: String
  /// 0: any free port.
  let port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Whether only this machine can reach it (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
  var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

  /// The address at which this machine reaches it: a wildcard address stands for the loopback one.
  var local: ListenAddress {
    switch host {
    case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: port)
    case "::": ListenAddress(host: "::1", port: port)
    default: self
    }
  }

  private var isIPv6: Bool { host.contains(":") }
}

extension ListenAddress: SettingValue {
  static var expectation: String { "a numeric address and a port, such as 127.0.0.1:8080 or [::1]:8080" }

  init?(settingText: String) {
    guard let colon = settingText.lastIndex(of: ":"),
      let port = UInt16(settingText[settingText.index(after: colon)...])
    else { return nil }
    var host = settingText[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard NumericAddress.isIPv6(String(host)) else { return nil }
    } else {
      guard NumericAddress.isIPv4(String(host)) else { return nil }
    }
    self.init(host: String(host), port: port)
  }

  var settingText: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
