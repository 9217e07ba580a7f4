import Server

extension Scheduling: SettingValue {
  static var expectation: String { "batch or other" }
}
