/// A command's name, options and operands.
struct Synopsis: Sendable {
  /// An option of one command, beside the settings.
  struct Option: Sendable {
    /// With its hyphens.
    let name: String
    /// The value's placeholder in the help; nil if the option has no value.
    let value: String?
    let help: String
  }

  /// Which settings a command has flags for.
  enum SettingFlags: Equatable, Sendable {
    /// No flags, and the configuration is not even read.
    case none
    case some([String])
    case all
  }

  let name: String
  let summary: String
  let operands: [String]
  /// How many of `operands`, at the end, may be left out.
  let optionalOperands: Int
  let options: [Option]
  let settings: SettingFlags
  let details: String

  init(
    _ name: String, summary: String, operands: [String] = [], optionalOperands: Int = 0,
    options: [Option] = [], settings: SettingFlags = .none, details: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.optionalOperands = optionalOperands
    self.options = options
    self.settings = settings
    self.details = details
  }

  /// The settings that the command has flags for.
  var flaggedSettings: [Setting] {
    switch settings {
    case .none: []
    case .some(let names): Settings.table.filter { names.contains($0.name) }
    case .all: Settings.table
    }
  }

  /// Every option that the command takes.
  var allOptions: [Option] {
    let config = settings == .none ? [] : [Synopsis.config]
    return options + config + (takesApp ? [Synopsis.app] : [])
      + flaggedSettings.map { setting in
        Option(name: setting.flag, value: setting.isSwitch ? nil : setting.valueName, help: setting.help)
      }
  }

  /// Whether the command can work on an app's data directory.
  var takesApp: Bool {
    guard case .some(let names) = settings else { return false }
    return names.contains("data")
      && !["app create", "app list", "app remove", "app group", "app ungroup"].contains(name)
  }

  /// Whether the command works on what groups of an app's classes have as well: the app has one of its keys and users.
  var takesGroup: Bool { takesApp && !name.hasPrefix("key ") && !name.hasPrefix("users ") }

  static let app = Option(
    name: "--app", value: "NAME", help: "Work on this app of the data directory, not on the default database."
  )

  static let config = Option(
    name: "--config", value: "FILE",
    help: """
      Read the settings of this file; otherwise of \(DataFile.settings.name) in the data directory, or of \(Settings.defaultFile).
      """)
}
