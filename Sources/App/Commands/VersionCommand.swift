/// `gatehouse version`.
struct VersionCommand: Command {
  static let synopsis = Synopsis("version", summary: "Prints the version.")

  /// The version of the whole program; CHANGELOG.md names the same.
  static let version = "0.1.0"

  init(_ arguments: Arguments, settings: Settings) {}

  func run() {
    Output.standard.write("gatehouse \(VersionCommand.version)\n")
  }
}
