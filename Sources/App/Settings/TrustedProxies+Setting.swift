import GatehouseHTTP

extension TrustedProxies: SettingValue {
  static var expectation: String {
    "none, or addresses, networks such as 10.0.0.0/8 and fd00::/8, and unix, with commas between them"
  }

  init?(settingText: String) {
    self.init()
    if settingText == "none" { return }
    for text in settingText.split(separator: ",", omittingEmptySubsequences: false) {
      if text == "unix" {
        includesLocal = true
      } else if let network = Network(String(text)) {
        networks.append(network)
      } else {
        return nil
      }
    }
  }

  var settingText: String {
    let texts = networks.map(\.description) + (includesLocal ? ["unix"] : [])
    return texts.isEmpty ? "none" : texts.joined(separator: ",")
  }
}
