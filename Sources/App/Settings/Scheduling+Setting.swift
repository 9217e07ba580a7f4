import Server

extension Scheduling: SettingValue {
  static var expectation: String { "batch or other" }

  init?(settingText: String) { self.init(rawValue: settingText) }

  var settingText: String { rawValue }
}
