/// A setting: in the configuration file, in the environment, and by a flag.
///
/// The three names are one name, spelt as each place spells names: `limits.bodyBytes`, `GATEHOUSE_LIMITS_BODY_BYTES`,
/// `--limits-body-bytes`.
struct Setting: Sendable {
  /// A type of values, as a file of JSON has them.
  enum Kind: Hashable, Sendable {
    case flag
    case number(least: Int, most: Int)
    /// Words, or a list of them.
    case text
  }

  /// The path in the configuration file.
  let name: String
  /// The value's placeholder in the help.
  let valueName: String
  let defaultText: String
  let help: String
  /// The values that it takes.
  private(set) var kind: Kind
  /// A description of legal values, for errors.
  let expectation: String
  /// Whether nobody else may see it: other processes would, among the arguments and variables of this one.
  private(set) var isSecret = false
  /// Whether a server takes it up while it runs, when the file has changed.
  private(set) var isLive = false
  /// The value in force, as it is written.
  let text: @Sendable (Settings) -> String
  /// Sets the value from a text; false if the text is no such value.
  let assign: @Sendable (inout Settings, String) -> Bool

  init<Value: SettingValue>(
    _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, value valueName: String,
    help: String
  ) {
    self.init(name, path, value: valueName, help: help, expectation: Value.expectation) { _ in true }
  }

  /// Makes a setting of a number from 0 on.
  init(
    _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, value valueName: String,
    help: String
  ) {
    self.init(name, path, value: valueName, least: 0, help: help)
  }

  /// Makes a setting of a number that is not below `least`.
  init(
    _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, value valueName: String,
    least: Int,
    help: String
  ) {
    let most = Setting.most(name)
    self.init(
      name, path, value: valueName, help: help, expectation: "a whole number from \(least) to \(most)"
    ) {
      (least...most).contains($0)
    }
    kind = .number(least: least, most: most)
  }

  /// The greatest number that a setting takes: seconds, days and megabytes are multiplied.
  private static func most(_ name: String) -> Int { name.hasSuffix("Bytes") ? 1 << 50 : 1_000_000_000 }

  private init<Value: SettingValue>(
    _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, value valueName: String,
    help: String,
    expectation: String, accepts: @escaping @Sendable (Value) -> Bool
  ) {
    self.name = name
    self.valueName = valueName
    self.help = help
    let text = Settings()[keyPath: path].settingText
    defaultText = text.isEmpty ? "none" : text
    kind = Value.self == Bool.self ? .flag : .text
    self.expectation = expectation
    self.text = { $0[keyPath: path].settingText }
    assign = { settings, text in
      guard let value = Value(settingText: text), accepts(value) else { return false }
      settings[keyPath: path] = value
      return true
    }
  }

  /// Whether it is a flag without value.
  var isSwitch: Bool { kind == .flag }

  /// The same setting, marked as one that nobody else may see.
  var secret: Setting {
    var setting = self
    setting.isSecret = true
    return setting
  }

  /// The same setting, marked as one that a running server takes up.
  var live: Setting {
    var setting = self
    setting.isLive = true
    return setting
  }

  /// The words of the name, in lower case.
  private var words: [String] {
    var words: [String] = [""]
    for character in name {
      if character == "." || character.isUppercase { words.append("") }
      if character != "." { words[words.count - 1] += character.lowercased() }
    }
    return words
  }

  var environmentName: String { "GATEHOUSE_" + words.joined(separator: "_").uppercased() }

  var flag: String { "--" + words.joined(separator: "-") }
}
