/// The operand and options of commands that take something of another server into a data directory.
struct MovingOptions {
  /// The file or folder that is taken.
  let path: String
  /// Whether nothing is changed.
  let isDry: Bool
  let directory: String

  static func dryRun(_ help: String) -> Synopsis.Option {
    Synopsis.Option(name: "--dry-run", value: nil, help: help)
  }

  init(_ arguments: Arguments, _ settings: Settings) throws {
    path = arguments.operands[0]
    isDry = try arguments.isSet("--dry-run")
    directory = settings.data
  }
}
