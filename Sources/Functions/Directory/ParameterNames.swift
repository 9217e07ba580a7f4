/// Finds the names of the parameters of a JavaScript file's exported function, as far as they can be seen without
/// running it.
struct ParameterNames {
  private var rest: Substring

  /// Returns the names; nil if they cannot be seen, as with patterns, comments between them, or a function that is
  /// defined elsewhere.
  static func names(in source: String) -> [String]? {
    var scanner = ParameterNames(rest: source[...])
    return scanner.names()
  }

  private mutating func names() -> [String]? {
    guard let start = exportStart() else { return nil }
    rest = start
    _ = skip("async")
    let isFunction = skip("function")
    if isFunction { skipSpace("*") }
    let name = identifier()
    if take("(") { return isFunction || name == nil ? list() : nil }
    // One parameter needs no parentheses before an arrow.
    guard !isFunction, let name, take("="), take(">") else { return nil }
    return [name]
  }

  /// Returns the text after the last `exports =` that begins a line.
  private func exportStart() -> Substring? {
    for line in rest.split(separator: "\n", omittingEmptySubsequences: true).reversed() {
      var scanner = ParameterNames(rest: rest[line.startIndex...])
      if scanner.skip("module"), !scanner.take(".") { continue }
      if scanner.skip("exports"), scanner.take("="), !scanner.rest.hasPrefix("=") { return scanner.rest }
    }
    return nil
  }

  /// Reads the names before the closing parenthesis; default values of parameters are left out.
  private mutating func list() -> [String]? {
    var names: [String] = []
    while !take(")") {
      if rest.hasPrefix("...") { rest = rest.dropFirst(3) }
      guard let name = identifier() else { return nil }
      names.append(name)
      if take("=") { skipValue() }
      if take(",") { continue }
      guard take(")") else { return nil }
      return names
    }
    return names
  }

  private mutating func skipValue() {
    var depth = 0
    while let character = rest.first {
      if depth == 0, character == "," || character == ")" { return }
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      rest = rest.dropFirst()
    }
  }

  private mutating func identifier() -> String? {
    skipSpace("")
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    guard let first = name.first, !first.isNumber else { return nil }
    rest = rest[name.endIndex...]
    return String(name)
  }

  private mutating func skip(_ word: String) -> Bool {
    let before = rest
    if identifier() == word { return true }
    rest = before
    return false
  }

  private mutating func take(_ text: Character) -> Bool {
    skipSpace("")
    guard rest.first == text else { return false }
    rest = rest.dropFirst()
    skipSpace("")
    return true
  }

  private mutating func skipSpace(_ more: String) {
    rest = rest.drop { $0.isWhitespace || more.contains($0) }
  }
}
