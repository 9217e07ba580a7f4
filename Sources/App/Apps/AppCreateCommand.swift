/// `gatehouse app create`.
struct AppCreateCommand: Command {
  static let synopsis = Synopsis(
    "app create",
    summary: "Makes an app, a database of its own beside the default one, and shows its first key, once.",
    operands: ["NAME"], settings: .some(["data", "apps.limit"]),
    details: """
      The key is an administrator's of the app. A server that has the data directory serves the app at once, at /v1/apps/NAME. A name \
      has \(AppName.rule).
      """)

  private let settings: Settings
  private let name: String

  init(_ arguments: Arguments, settings: Settings) {
    (self.settings, name) = (settings, arguments.operands[0])
  }

  func run() async throws {
    guard let app = AppName(name), name != settings.defaultApp else {
      throw CommandError.invalidValue(name: "NAME", text: name, expected: AppName.rule)
    }
    let directory = AppsDirectory(settings.data)
    let key = try await directory.telling(name) {
      try await directory.create(app, atMost: settings.mostApps)
    }
    Output.standard.write(key + "\n")
  }
}
