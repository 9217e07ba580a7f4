import GatehouseStorage

/// `gatehouse app remove`.
struct AppRemoveCommand: Command {
  static let synopsis = Synopsis(
    "app remove", summary: "Removes an app with all that is in it.", operands: ["NAME"],
    options: [Synopsis.Option(name: "--confirm", value: "NAME", help: "The name once more.")],
    settings: .some(["data"]),
    details: """
      Its audit trail goes as well: “audit export --app NAME” writes it elsewhere before. Where a server has the app open, DELETE \
      /v1/apps/NAME removes it.
      """)

  private let directory: AppsDirectory
  private let name: String

  init(_ arguments: Arguments, settings: Settings) throws {
    (directory, name) = (AppsDirectory(settings.data), arguments.operands[0])
    guard arguments.options["--confirm"] == name else {
      throw CommandError.invalidValue(
        name: "--confirm", text: arguments.options["--confirm"] ?? "", expected: "the name of the app")
    }
  }

  func run() async throws {
    guard let app = AppName(name), directory.contains(app) else {
      throw CommandError.invalidValue(name: "NAME", text: name, expected: "the name of an app")
    }
    try await directory.telling(name) { try directory.remove(app) }
  }
}
