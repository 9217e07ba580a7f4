/// The type of a setting's value.
protocol SettingValue: SendableMetatype {
  /// A description of legal values, for errors.
  static var expectation: String { get }

  init?(settingText: String)
  var settingText: String { get }
}

/// A value that is one of a set of words.
extension SettingValue where Self: RawRepresentable, RawValue == String {
  init?(settingText: String) { self.init(rawValue: settingText) }

  var settingText: String { rawValue }
}

extension String: SettingValue {
  static var expectation: String { "some text" }

  init?(settingText: String) {
    guard !settingText.isEmpty else { return nil }
    self = settingText
  }

  var settingText: String { self }
}

extension Int: SettingValue {
  static var expectation: String { "a whole number" }

  init?(settingText: String) {
    guard let number = Int(settingText), number >= 0 else { return nil }
    self = number
  }

  var settingText: String { String(self) }
}

extension Bool: SettingValue {
  static var expectation: String { "true or false" }

  init?(settingText: String) {
    guard let value = Bool(settingText) else { return nil }
    self = value
  }

  var settingText: String { String(self) }
}

extension OutboundRanges: SettingValue {}
