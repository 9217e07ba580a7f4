/// `gatehouse app list`.
struct AppListCommand: Command {
  static let synopsis = Synopsis(
    "app list", summary: "Lists the apps of a data directory.", settings: .some(["data"]))

  private let directory: AppsDirectory

  init(_ arguments: Arguments, settings: Settings) {
    directory = AppsDirectory(settings.data)
  }

  func run() throws {
    for name in try directory.names { Output.standard.write(name.text + "\n") }
  }
}
