/// `gatehouse completions`.
struct CompletionsCommand: Command {
  static let synopsis = Synopsis(
    "completions", summary: "Writes what completes command lines in a shell to standard output.",
    operands: ["SHELL"],
    details: "SHELL is bash, zsh or fish. In bash: source <(gatehouse completions bash)")

  private let shell: Completions.Shell

  init(_ arguments: Arguments, settings: Settings) throws {
    guard let shell = Completions.Shell(rawValue: arguments.operands[0]) else {
      throw CommandError.invalidValue(
        name: "SHELL", text: arguments.operands[0], expected: "bash, zsh or fish")
    }
    self.shell = shell
  }

  func run() {
    Output.standard.write(Completions.script(for: shell, commands: CommandTable.all.map { $0.synopsis }))
  }
}
