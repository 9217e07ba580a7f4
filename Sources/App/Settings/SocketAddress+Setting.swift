import Server

extension SocketAddress: SettingValue {
  static var expectation: String {
    "an address and a port, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path"
  }

  init?(settingText: String) {
    guard let address = try? SocketAddress(settingText) else { return nil }
    self = address
  }

  var settingText: String { description }
}

extension SocketAddress {
  /// The address at which this machine reaches it: a wildcard address stands for the loopback one.
  var local: SocketAddress {
    switch self {
    case .ipv4(0, let port): .ipv4(0x7F00_0001, port: port)
    case .ipv6(0, 0, let port): .ipv6(0, 1, port: port)
    case .ipv4, .ipv6, .unix: self
    }
  }
}
