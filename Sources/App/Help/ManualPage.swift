/// The manual pages of the program, in the macros of man(7).
enum ManualPage {
  /// Returns gatehouse(1): every command with its options.
  static func commands(_ commands: [Synopsis], version: String) -> String {
    var page = heading("gatehouse", section: 1, version)
    page += ".SH NAME\ngatehouse \\- keeps typed objects in a SQLite file and serves them over HTTP\n"
    page += ".SH SYNOPSIS\n"
    for command in commands {
      page += ".B gatehouse \(escaped(command.name))\n\(operands(of: command)).br\n"
    }
    page += ".SH COMMANDS\n"
    for command in commands {
      page += ".SS gatehouse \(escaped(command.name))\n\(line(command.summary))"
      if !command.details.isEmpty { page += ".PP\n\(line(command.details))" }
      for option in command.options { page += paragraph(of: option) }
      page += mention(of: command)
    }
    page += """
      .SH EXIT STATUS
      0; 1 where the command failed; 2 where it was not understood.
      .SH SEE ALSO
      .BR gatehouse.json (5)

      """
    return page
  }

  /// Returns gatehouse.json(5): every setting with its three names.
  static func settings(_ settings: [Setting], version: String) -> String {
    var page = heading("gatehouse.json", section: 5, version)
    page += """
      .SH NAME
      gatehouse.json \\- settings of gatehouse
      .SH DESCRIPTION
      Settings come from the file that \\-\\-config or GATEHOUSE_CONFIG names, from the environment, and from flags; the later wins.
      The file is JSON. A dot in a name stands for a member of a member: tls.key is {"tls": {"key": \\(dq\\&…\\(dq}}.
      .SH SETTINGS

      """
    for setting in settings {
      let flag = setting.isSwitch ? setting.flag : "\(setting.flag) \(setting.valueName)"
      page += ".TP\n.B \(escaped(setting.name))\n\(line(setting.help))"
      page += ".br\n\(line("\(setting.environmentName), \(flag). Default: \(setting.defaultText)"))"
    }
    page += ".SH SEE ALSO\n.BR gatehouse (1)\n"
    return page
  }

  private static func heading(_ name: String, section: Int, _ version: String) -> String {
    ".TH \(name.uppercased()) \(section) \"\" \"Gatehouse \(version)\"\n"
  }

  private static func operands(of command: Synopsis) -> String {
    let required = command.operands.count - command.optionalOperands
    let words = command.operands.enumerated().map { $0 < required ? $1 : "[\($1)]" }
    let options = command.allOptions.isEmpty ? [] : ["[OPTION…]"]
    return words.isEmpty && options.isEmpty ? "" : line((words + options).joined(separator: " "))
  }

  private static func paragraph(of option: Synopsis.Option) -> String {
    let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return ".TP\n\\fB\(escaped(option.name))\\fR\(value)\n\(line(option.help))"
  }

  /// The flags of settings are explained once, on the page of settings.
  private static func mention(of command: Synopsis) -> String {
    switch command.settings {
    case .none: return ""
    case .all: return ".PP\nTakes \\-\\-config and the flag of every setting, see\n.BR gatehouse.json (5).\n"
    case .some:
      let flags = command.flaggedSettings.map { $0.flag }
      return ".PP\n"
        + line("Takes --config and the flags of these settings: \(flags.joined(separator: ", ")).")
    }
  }

  /// Returns a line of text, which is no request whatever it begins with.
  private static func line(_ text: String) -> String {
    let isRequest = text.first == "." || text.first == "'"
    return "\(isRequest ? "\\&" : "")\(escaped(text))\n"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "\n": escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
