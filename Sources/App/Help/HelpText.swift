/// The pages of `gatehouse help`.
enum HelpText {
  static func overview(of commands: [Synopsis]) -> String {
    """
    Gatehouse keeps typed objects in a SQLite file and serves them over HTTP.

    Usage: gatehouse COMMAND …

    \(table(commands.map { (usage($0, isShort: true), $0.summary) }))

    gatehouse help COMMAND says more about one; gatehouse help settings lists what can be set.

    """
  }

  static func page(on command: Synopsis) -> String {
    var sections = ["Usage: gatehouse \(usage(command, isShort: false))", command.summary]
    if !command.details.isEmpty { sections.append(wrapped(command.details, indent: 0)) }
    if !command.allOptions.isEmpty {
      sections.append(table(command.allOptions.map { (label($0), $0.help) }))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  static func settings(_ settings: [Setting]) -> String {
    let intro = """
      Settings come from \(Settings.defaultFile) (or the file that --config or GATEHOUSE_CONFIG names), from the
      environment, and from flags; the later wins.
      """
    let entries = settings.map { setting in
      """
      \(setting.name)
          \(setting.environmentName), \(setting.flag)\(setting.isSwitch ? "" : " " + setting.valueName)
      \(wrapped(setting.help, indent: 4))
          Default: \(setting.defaultText)
      """
    }
    return ([intro] + entries).joined(separator: "\n\n") + "\n"
  }

  private static func usage(_ command: Synopsis, isShort: Bool) -> String {
    var words = [command.name]
    let required = command.operands.count - command.optionalOperands
    for (index, operand) in command.operands.enumerated() {
      words.append(index < required ? operand : "[\(operand)]")
    }
    if !isShort { words += command.allOptions.map { "[\(label($0))]" } }
    return words.joined(separator: " ")
  }

  private static func label(_ option: Synopsis.Option) -> String {
    option.value.map { "\(option.name) \($0)" } ?? option.name
  }

  /// Two columns; where the left one is wide, the right one begins on the next line.
  private static func table(_ rows: [(left: String, right: String)]) -> String {
    let gap = 26
    return rows.map { row in
      let right = wrapped(row.right, indent: gap)
      let padding = gap - 2 - row.left.count
      guard padding > 1 else { return "  \(row.left)\n\(right)" }
      return "  \(row.left)" + String(repeating: " ", count: padding) + right.dropFirst(gap)
    }.joined(separator: "\n")
  }

  /// Lines of at most 100 characters, broken at spaces.
  private static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count + indent >= 100 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.map { margin + $0 }.joined(separator: "\n")
  }
}
