import GatehouseAPI

/// The arguments of a command, sorted.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  /// The command's own options, by name with hyphens.
  private(set) var options: [String: String] = [:]
  /// Flags of settings, and `--config`.
  private(set) var settings: [(flag: String, text: String)] = []

  /// `--name value` and `--name=value` are the same; what follows `--` is all operands, as is a lone `-`.
  init(_ arguments: [String], synopsis: Synopsis) throws {
    var rest = arguments[...]
    var isPastOptions = false
    while let argument = rest.popFirst() {
      if isPastOptions || !argument.hasPrefix("-") || argument == "-" {
        operands.append(argument)
      } else if argument == "--" {
        isPastOptions = true
      } else {
        try take(option: argument, from: &rest, synopsis)
      }
    }
    try checkOperands(synopsis)
  }

  private mutating func take(
    option argument: String, from rest: inout ArraySlice<String>, _ synopsis: Synopsis
  ) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    guard let option = synopsis.allOptions.first(where: { $0.name == parts[0] }) else {
      // The dashes, which all have, make no option resemble another.
      let known = (synopsis.allOptions.map(\.name) + ["--help"]).map { String($0.drop { $0 == "-" }) }
      let nearest = EditDistance.nearest(to: String(parts[0].drop { $0 == "-" }), among: known)
      throw CommandError.unknownOption(parts[0], nearest: nearest.map { "--\($0)" })
    }
    let text = try value(of: option, given: parts.count == 2 ? parts[1] : nil, from: &rest)
    if synopsis.options.contains(where: { $0.name == option.name }) {
      options[option.name] = text
    } else {
      settings.append((option.name, text))
    }
  }

  private func value(
    of option: Synopsis.Option, given: String?, from rest: inout ArraySlice<String>
  ) throws -> String {
    if let given { return given }
    guard let name = option.value else { return "true" }
    guard let next = rest.popFirst() else {
      throw CommandError.missingValue(option: option.name, value: name)
    }
    return next
  }

  private func checkOperands(_ synopsis: Synopsis) throws {
    if operands.count > synopsis.operands.count {
      throw CommandError.surplusOperand(operands[synopsis.operands.count], command: synopsis.name)
    }
    if operands.count < synopsis.operands.count - synopsis.optionalOperands {
      throw CommandError.missingOperand(synopsis.operands[operands.count], command: synopsis.name)
    }
  }

  /// The app that the command is about; nil: the default database.
  var app: String? {
    options[Synopsis.app.name] ?? settings.last { $0.flag == Synopsis.app.name }?.text
  }

  /// The option's value as a whole number from 1; nil where it was not given.
  func count(_ option: String) throws -> Int? {
    guard let text = options[option] else { return nil }
    guard let number = Int(text), number > 0 else {
      throw CommandError.invalidValue(name: option, text: text, expected: "a whole number from 1")
    }
    return number
  }

  /// The option's value as `read` takes it; nil where it was not given.
  func value<Value>(_ option: String, _ read: (String) -> Value?, expected: String) throws -> Value? {
    guard let text = options[option] else { return nil }
    guard let value = read(text) else {
      throw CommandError.invalidValue(name: option, text: text, expected: expected)
    }
    return value
  }

  /// Whether an option without value was given.
  func isSet(_ option: String) throws -> Bool {
    guard let text = options[option] else { return false }
    guard let value = Bool(text) else {
      throw CommandError.invalidValue(name: option, text: text, expected: Bool.expectation)
    }
    return value
  }
}
