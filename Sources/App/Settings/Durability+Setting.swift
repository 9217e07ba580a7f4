import GatehouseStorage

extension Durability: SettingValue {
  static var expectation: String { "full, or within: and 1ms to 60000ms" }

  init?(settingText: String) { self.init(settingText) }

  var settingText: String {
    switch self {
    case .full: "full"
    case .within(let milliseconds): "within:\(milliseconds)ms"
    }
  }
}
