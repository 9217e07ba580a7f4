import GatehouseServer

extension [SocketAddress]: SettingValue {
  static var expectation: String {
    "addresses with ports, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path, with commas between them, or none"
  }

  init?(settingText: String) {
    self = []
    if settingText == "none" { return }
    for text in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      guard let address = try? SocketAddress(String(text)) else { return nil }
      append(address)
    }
  }

  var settingText: String {
    isEmpty ? "none" : map(\.description).joined(separator: ",")
  }
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
