import GatehouseServer

extension Scheduling: SettingValue {
  static var expectation: String { "batch or other" }
}
