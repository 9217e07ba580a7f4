import GatehouseAPI

/// The places from which a process has its settings, so that they can be read again.
struct SettingsSources: Sendable {
  private let environment: Environment
  private let flags: [(flag: String, text: String)]

  init(_ environment: Environment, flags: [(flag: String, text: String)]) {
    self.environment = environment
    self.flags = flags
  }

  static let fileVariable = "GATEHOUSE_CONFIG"

  /// The variables that are settings, or should be.
  var variables: [(name: String, value: String)] {
    environment.variables.filter { $0.name.hasPrefix("GATEHOUSE_") }
  }

  /// The settings among the arguments.
  var arguments: [(flag: String, text: String)] {
    flags.filter { ![Synopsis.config.name, Synopsis.app.name].contains($0.flag) }
  }

  /// The file, which is the one that `--config` or else `GATEHOUSE_CONFIG` names, or else `gatehouse.json` of the data
  /// directory that flag or variable names, or else the default one; nil: there is none.
  var file: ConfigurationFile? {
    get throws { try ConfigurationFile(named: namedFile, orOneOf: files) }
  }

  /// Tells two states of the file apart.
  var stamp: FileStamp { FileStamp(of: namedFile.map { [$0] } ?? files) }

  /// Reads all of them.
  func settings() throws -> Settings { try Settings(self) }

  private var namedFile: String? {
    flags.last { $0.flag == Synopsis.config.name }?.text
      ?? variables.last { $0.name == SettingsSources.fileVariable }?.value
  }

  /// Where the file may be that nobody names.
  private var files: [String] {
    let directory =
      flags.last { $0.flag == "--data" }?.text ?? variables.last { $0.name == "GATEHOUSE_DATA" }?.value
      ?? Settings().data
    return [DataFile.settings.path(in: directory), Settings.defaultFile]
  }
}

extension SettingsSources {
  /// Returns all settings as they are in force, with the places that gave them their values.
  func inForce(_ settings: Settings) -> [SettingInForce] {
    let names = (try? file)?.flatMap { $0.names } ?? []
    return Settings.table.map { setting in
      let source: SettingInForce.Source =
        if arguments.contains(where: { $0.flag == setting.flag }) {
          .flag
        } else if variables.contains(where: { $0.name == setting.environmentName }) {
          .environment
        } else if names.contains(setting.name) {
          .file
        } else {
          .default
        }
      return SettingInForce(
        setting.name, value: setting.isSecret ? nil : setting.text(settings),
        defaultValue: setting.defaultText,
        source: source, isLive: setting.isLive, help: setting.help)
    }
  }
}
