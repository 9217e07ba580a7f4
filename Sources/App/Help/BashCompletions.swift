/// The completion script for bash.
struct BashCompletions {
  let commands: [Synopsis]

  var script: String {
    """
    # Completes gatehouse in bash; written by "gatehouse completions bash".
    _gatehouse() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
      local options='' operands=''
      COMPREPLY=()
      if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W \(quoted(Completions.groups(of: commands).map(\.name))) -- "$word"))
        return
      fi
      case "$before" in
    \(valueCases)
      esac
      case "${COMP_WORDS[1]}" in
    \(Completions.groups(of: commands).map(groupCase).joined(separator: "\n"))
      esac
      case "$word" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
      esac
      case "$operands" in
        FILES) COMPREPLY=($(compgen -f -- "$word")) ;;
        DIRECTORIES) COMPREPLY=($(compgen -d -- "$word")) ;;
        *) COMPREPLY=($(compgen -W "$operands" -- "$word")) ;;
      esac
    }
    complete -o filenames -F _gatehouse gatehouse

    """
  }

  /// The cases for values that follow options.
  private var valueCases: String {
    var seen: Set<String> = []
    let options = commands.flatMap(\.allOptions).filter { $0.value != nil && seen.insert($0.name).inserted }
    return options.map { option in
      let reply =
        switch Completions.Values(placeholder: option.value ?? "", commands: commands) {
        case .files: "COMPREPLY=($(compgen -f -- \"$word\")); "
        case .directories: "COMPREPLY=($(compgen -d -- \"$word\")); "
        case .words(let words): "COMPREPLY=($(compgen -W \(quoted(words)) -- \"$word\")); "
        case .unknown: ""
        }
      return "    \(option.name)) \(reply)return ;;"
    }.joined(separator: "\n")
  }

  private func groupCase(_ group: Completions.Group) -> String {
    let verbs = group.verbs
    guard !verbs.isEmpty else { return "    \(group.name)) \(assignments(group.commands[0])) ;;" }
    return """
          \(group.name))
            if [ "$COMP_CWORD" -eq 2 ]; then
              COMPREPLY=($(compgen -W \(quoted(verbs.map(\.name))) -- "$word"))
              return
            fi
            case "${COMP_WORDS[2]}" in
      \(verbs.map { "        \($0.name)) \(assignments($0.command)) ;;" }.joined(separator: "\n"))
            esac ;;
      """
  }

  private func assignments(_ command: Synopsis) -> String {
    let values = command.operands.map { Completions.Values(placeholder: $0, commands: commands) }
    let operands =
      switch values.first(where: { $0 != .unknown }) {
      case .files: "FILES"
      case .directories: "DIRECTORIES"
      case .words(let words): words.joined(separator: " ")
      case .unknown, nil: ""
      }
    let options = command.allOptions.map(\.name) + ["--help"]
    return "options=\(quoted(options)) operands=\(Completions.quoted(operands))"
  }

  private func quoted(_ words: [String]) -> String { Completions.quoted(words.joined(separator: " ")) }
}
