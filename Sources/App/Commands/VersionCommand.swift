/// `gatehouse version`.
struct VersionCommand: Command {
  static let synopsis = Synopsis("version", summary: "Prints the version.")

  init(_ arguments: Arguments, settings: Settings) {}

  func run() {
    Output.standard.write("gatehouse \(ProductVersion.text)\n")
  }
}
