/// A function or an initializer as its declaration spells it.
struct Declaration: Hashable {
  /// One parameter, without its attributes.
  struct Parameter: Hashable {
    /// The argument label; `_` for a parameter without one.
    let label: String
  }

  /// `init`, or the function's name.
  let name: String
  let parameters: [Parameter]

  var isInitializer: Bool { name == "init" }

  /// The name as documentation spells it: `compare(_:_:by:)`.
  var signature: String { "\(name)(\(parameters.map { "\($0.label):" }.joined()))" }

  var unlabelledCount: Int { parameters.count { $0.label == "_" } }
}

extension SourceFile {
  /// All declarations of functions and initializers, nested ones included, in order.
  var declarations: [Declaration] { DeclarationScanner(code).all() }

  /// The text with all comments, and the contents of literals of one line, replaced by spaces.
  private var code: [UInt8] {
    var code: [UInt8] = []
    for line in lines {
      var (isInLiteral, isEscaped, isComment) = (false, false, false)
      let bytes = Array(line.utf8)
      for (index, byte) in bytes.enumerated() {
        if !isInLiteral, byte == UInt8(ascii: "/"), index + 1 < bytes.count, bytes[index + 1] == byte {
          isComment = true
        }
        let isQuote = byte == UInt8(ascii: "\"") && !isEscaped
        if isQuote { isInLiteral.toggle() }
        isEscaped = isInLiteral && byte == UInt8(ascii: "\\") && !isEscaped
        code.append(isComment || isInLiteral || isQuote ? UInt8(ascii: " ") : byte)
        if isComment { break }
      }
      code.append(UInt8(ascii: "\n"))
    }
    return code
  }
}

/// Finds declarations in code without comments and literals. It knows as much of the grammar as our formatting needs.
private struct DeclarationScanner {
  private let code: [UInt8]
  private var position = 0

  init(_ code: [UInt8]) {
    self.code = code
  }

  consuming func all() -> [Declaration] {
    var declarations: [Declaration] = []
    while position < code.count {
      guard code[position].isIdentifierPart else {
        position += 1
        continue
      }
      let start = position
      let word = word()
      if word == "func" {
        skipSpaces()
        let name = functionName()
        if let declaration = declaration(name) { declarations.append(declaration) }
      } else if word == "init", isDeclaration(at: start) {
        if let next = code[safe: position], next == UInt8(ascii: "?") { position += 1 }
        if let declaration = declaration("init") { declarations.append(declaration) }
      }
    }
    return declarations
  }

  /// Whether only attributes and modifiers stand before the word in its line.
  private func isDeclaration(at start: Int) -> Bool {
    let line = Array(code.prefix(start).reversed().prefix { $0 != UInt8(ascii: "\n") }.reversed())
    return !line.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "{") }
      && !String(decoding: line, as: UTF8.self).contains("return")
  }

  private mutating func word() -> String {
    let start = position
    while position < code.count, code[position].isIdentifierPart { position += 1 }
    return String(decoding: code[start..<position], as: UTF8.self)
  }

  private mutating func functionName() -> String {
    let start = position
    while position < code.count, ![UInt8(ascii: "("), UInt8(ascii: " ")].contains(code[position]),
      code[position] != UInt8(ascii: "<") || position == start
    {
      position += 1
    }
    return String(decoding: code[start..<position], as: UTF8.self)
  }

  private mutating func skipSpaces() {
    while position < code.count, code[position] == UInt8(ascii: " ") || code[position] == UInt8(ascii: "\n") {
      position += 1
    }
  }

  /// Reads generic parameters and the parameter list; nil where there is no list.
  private mutating func declaration(_ name: String) -> Declaration? {
    skipSpaces()
    if code[safe: position] == UInt8(ascii: "<") {
      var depth = 0
      repeat {
        depth += angle(at: position)
        position += 1
      } while depth > 0 && position < code.count
      skipSpaces()
    }
    guard code[safe: position] == UInt8(ascii: "(") else { return nil }
    var parameters: [Declaration.Parameter] = []
    var (depth, angles) = (0, 0)
    var start = position + 1
    for index in position..<code.count {
      switch code[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "<"), UInt8(ascii: ">"): angles = max(0, angles + angle(at: index))
      default: break
      }
      let isEnd = depth == 0
      guard isEnd || (code[index] == UInt8(ascii: ",") && depth == 1 && angles == 0) else { continue }
      if let parameter = parameter(code[start..<index]) { parameters.append(parameter) }
      start = index + 1
      if isEnd { break }
    }
    return Declaration(name: name, parameters: parameters)
  }

  /// 1 and -1 for the brackets of generic arguments, 0 for arrows and operators.
  private func angle(at index: Int) -> Int {
    switch code[index] {
    case UInt8(ascii: "<") where code[safe: index - 1]?.isIdentifierPart == true: 1
    case UInt8(ascii: ">") where code[safe: index - 1] != UInt8(ascii: "-"): -1
    default: 0
    }
  }

  private func parameter(_ text: ArraySlice<UInt8>) -> Declaration.Parameter? {
    let words = String(decoding: text, as: UTF8.self).split(whereSeparator: { " \n:".contains($0) })
    guard let label = words.first(where: { !$0.hasPrefix("@") }) else { return nil }
    return Declaration.Parameter(label: String(label))
  }
}

extension UInt8 {
  fileprivate var isIdentifierPart: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
      || self == 0x5F
      || self >= 0x80
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
