/// `gatehouse manual`.
struct ManualCommand: Command {
  static let synopsis = Synopsis(
    "manual", summary: "Writes a manual page to standard output, for man(1).", operands: ["settings"],
    optionalOperands: 1,
    details: "gatehouse(1), or gatehouse.json(5), the page of settings.")

  private let page: String

  init(_ arguments: Arguments, settings: Settings) throws {
    switch arguments.operands.first {
    case nil:
      page = ManualPage.commands(CommandTable.all.map { $0.synopsis }, version: ProductVersion.text)
    case "settings": page = ManualPage.settings(Settings.table, version: ProductVersion.text)
    case let topic?: throw CommandError.unknownTopic(topic)
    }
  }

  func run() {
    Output.standard.write(page)
  }
}
