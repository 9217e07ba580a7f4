/// Offers of a shell while a command line is being typed.
enum Completions {
  /// The shells that are known.
  enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
  }

  /// The values that an option or an operand may have.
  enum Values: Equatable {
    case files
    case directories
    case words([String])
    /// Some value that nothing can be offered for.
    case unknown

    /// By the placeholder of the help: `FILE`, `DIR`, `read|write`.
    init(placeholder: String, commands: [Synopsis]) {
      switch placeholder {
      case "FILE", "[FILE]", "OTHER": self = .files
      case "DIR": self = .directories
      case "SHELL": self = .words(Shell.allCases.map(\.rawValue))
      case "COMMAND": self = .words(groups(of: commands).map(\.name))
      default:
        let words = placeholder.split(separator: "|").map(String.init)
        let areFixed = words.count > 1 && words.allSatisfy { $0.first?.isLowercase == true }
        self = areFixed ? .words(words.filter { !$0.contains("…") && !$0.contains(",") }) : .unknown
      }
    }
  }

  /// The commands that begin with one word: one without a verb, or one for each verb.
  struct Group {
    let name: String
    var commands: [Synopsis]

    /// The verbs; empty for a command that has none.
    var verbs: [(name: String, command: Synopsis)] {
      commands.compactMap { command in
        let words = command.name.split(separator: " ")
        return words.count == 2 ? (String(words[1]), command) : nil
      }
    }

    var summary: String {
      verbs.isEmpty ? commands[0].summary : verbs.map(\.name).joined(separator: ", ")
    }
  }

  static func groups(of commands: [Synopsis]) -> [Group] {
    var groups: [Group] = []
    for command in commands {
      let name = String(command.name.prefix { $0 != " " })
      if let index = groups.firstIndex(where: { $0.name == name }) {
        groups[index].commands.append(command)
      } else {
        groups.append(Group(name: name, commands: [command]))
      }
    }
    return groups
  }

  static func script(for shell: Shell, commands: [Synopsis]) -> String {
    switch shell {
    case .bash: BashCompletions(commands: commands).script
    case .zsh: ZshCompletions(commands: commands).script
    case .fish: FishCompletions(commands: commands).script
    }
  }

  /// The first sentence of a help text.
  static func brief(_ help: String) -> String {
    let end = help.firstIndex { ".;(".contains($0) } ?? help.endIndex
    return help[..<end].trimmingSpaces
  }

  /// The text in single quotes, as shells of this family read it.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var rest = self
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
