/// The completion script for fish.
struct FishCompletions {
  let commands: [Synopsis]

  var script: String {
    var lines = [
      "# Completes gatehouse in fish; written by \"gatehouse completions fish\".",
      "complete -c gatehouse -f",
    ]
    for group in Completions.groups(of: commands) {
      lines.append(offer(group.name, group.summary, when: "__fish_use_subcommand"))
      let verbs = group.verbs
      for verb in verbs {
        let others = verbs.map(\.name).joined(separator: " ")
        let condition =
          "__fish_seen_subcommand_from \(group.name); and not __fish_seen_subcommand_from \(others)"
        lines.append(offer(verb.name, verb.command.summary, when: condition))
        let here = "__fish_seen_subcommand_from \(group.name); and __fish_seen_subcommand_from \(verb.name)"
        lines += options(of: verb.command, when: here)
      }
      if verbs.isEmpty {
        lines += options(of: group.commands[0], when: "__fish_seen_subcommand_from \(group.name)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func offer(_ word: String, _ summary: String, when condition: String) -> String {
    "complete -c gatehouse -n \(Completions.quoted(condition)) -a \(word) -d \(brief(summary))"
  }

  private func options(of command: Synopsis, when condition: String) -> [String] {
    let start = "complete -c gatehouse -n \(Completions.quoted(condition))"
    let options = command.allOptions.map { option in
      let name = String(option.name.drop { $0 == "-" })
      return "\(start) -l \(name)\(argument(option.value)) -d \(brief(option.help))"
    }
    return options
      + command.operands.compactMap { operand in
        switch Completions.Values(placeholder: operand, commands: commands) {
        case .files, .directories: "\(start) -F"
        case .words(let words): "\(start) -a \(Completions.quoted(words.joined(separator: " ")))"
        case .unknown: nil
        }
      }
  }

  /// How the value of an option is completed; nothing for an option without one.
  private func argument(_ placeholder: String?) -> String {
    guard let placeholder else { return "" }
    return switch Completions.Values(placeholder: placeholder, commands: commands) {
    case .files: " -r -F"
    case .directories: " -x -a '(__fish_complete_directories)'"
    case .words(let words): " -x -a \(Completions.quoted(words.joined(separator: " ")))"
    case .unknown: " -x"
    }
  }

  private func brief(_ help: String) -> String { Completions.quoted(Completions.brief(help)) }
}
