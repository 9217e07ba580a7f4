/// `gatehouse help`.
struct HelpCommand: Command {
  static let synopsis = Synopsis(
    "help", summary: "Explains a command, or the settings.", operands: ["COMMAND", "SUBCOMMAND"],
    optionalOperands: 2)

  /// The name of a command, `settings`, or nothing.
  let topic: String

  init(topic: String) {
    self.topic = topic
  }

  init(_ arguments: Arguments, settings: Settings) {
    topic = arguments.operands.joined(separator: " ")
  }

  func run() throws {
    Output.standard.write(try page())
  }

  private func page() throws -> String {
    if topic.isEmpty { return HelpText.overview(of: CommandTable.all.map { $0.synopsis }) }
    if topic == "settings" { return HelpText.settings(Settings.table) }
    if let command = CommandTable.named(topic) { return HelpText.page(on: command.synopsis) }
    let group = CommandTable.all.filter { $0.synopsis.name.hasPrefix(topic + " ") }
    guard !group.isEmpty else { throw CommandError.unknownTopic(topic) }
    return group.map { HelpText.page(on: $0.synopsis) }.joined(separator: "\n")
  }
}
