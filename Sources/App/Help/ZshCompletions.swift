/// The completion script for zsh.
struct ZshCompletions {
  let commands: [Synopsis]

  var script: String {
    """
    #compdef gatehouse
    # Completes gatehouse in zsh; written by "gatehouse completions zsh".
    _gatehouse() {
      local -a names
      if (( CURRENT == 2 )); then
        names=(
    \(names(Completions.groups(of: commands).map { ($0.name, $0.summary) }))
        )
        _describe command names
        return
      fi
      case "$words[2]" in
    \(Completions.groups(of: commands).map(groupCase).joined(separator: "\n"))
      esac
    }
    if [ "$funcstack[1]" = _gatehouse ]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi

    """
  }

  private func names(_ entries: [(name: String, summary: String)]) -> String {
    entries.map { "      \(Completions.quoted("\($0.name):\(Completions.brief($0.summary))"))" }
      .joined(separator: "\n")
  }

  private func groupCase(_ group: Completions.Group) -> String {
    let verbs = group.verbs
    guard !verbs.isEmpty else {
      return "    \(group.name)) shift words; (( CURRENT-- )); \(arguments(of: group.commands[0])) ;;"
    }
    return """
          \(group.name))
            if (( CURRENT == 3 )); then
              names=(
      \(names(verbs.map { ($0.name, $0.command.summary) }))
              )
              _describe verb names
              return
            fi
            case "$words[3]" in
      \(verbs.map(verbCase).joined(separator: "\n"))
            esac ;;
      """
  }

  private func verbCase(_ verb: (name: String, command: Synopsis)) -> String {
    "        \(verb.name)) shift 2 words; (( CURRENT -= 2 )); \(arguments(of: verb.command)) ;;"
  }

  private func arguments(of command: Synopsis) -> String {
    var specifications = command.allOptions.map { option in
      let help = escaped(Completions.brief(option.help))
      let value = option.value.map { ":\(escaped($0)):\(action($0))" } ?? ""
      return Completions.quoted("\(option.name)[\(help)]\(value)")
    }
    specifications += command.operands.map { Completions.quoted(":\($0):\(action($0))") }
    return (["_arguments"] + specifications).joined(separator: " ")
  }

  private func action(_ placeholder: String) -> String {
    switch Completions.Values(placeholder: placeholder, commands: commands) {
    case .files: "_files"
    case .directories: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .unknown: " "
    }
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if ":[]\\".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
