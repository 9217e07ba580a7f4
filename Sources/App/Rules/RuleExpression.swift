import GatehouseBSON
import GatehouseModel

/// Makes App Services' rule expressions of RQL, as far as ``ExpressionConversion`` makes RQL of them.
struct RuleExpression {
  /// Returns the expression that holds where the filter does; nil: it cannot be said.
  static func document(for filter: String, on type: ObjectType, in schema: Schema) -> Document? {
    var text = filter[...]
    var reader = RuleExpression(text, on: type, in: schema)
    if let whole = reader.imported(), reader.isAtEnd { return whole }
    // The import puts it in parentheses once more.
    if let inner = text.insideOfParentheses { text = inner }
    reader = RuleExpression(text, on: type, in: schema)
    guard let document = reader.alternatives(depth: 0), reader.isAtEnd else { return nil }
    return document
  }

  private static let depthLimit = 50

  private var rest: Substring.UnicodeScalarView
  private let type: ObjectType
  private let schema: Schema

  private init(_ text: Substring, on type: ObjectType, in schema: Schema) {
    rest = text.unicodeScalars
    self.type = type
    self.schema = schema
  }

  private var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return rest.isEmpty
    }
  }

  private mutating func alternatives(depth: Int) -> Document? {
    var parts: [Document] = []
    repeat {
      guard depth < Self.depthLimit, let part = conjunction(depth: depth + 1) else { return nil }
      parts.append(part)
    } while take("OR")
    return parts.count == 1 ? parts[0] : ["$or": .array(parts.map { .document($0) })]
  }

  private mutating func conjunction(depth: Int) -> Document? {
    var parts: [Document] = []
    var isPlain = true
    repeat {
      skipSpace()
      if let part = imported() {
        parts.append(part)
        continue
      }
      if rest.first == "(" { isPlain = false }
      guard let part = condition(depth: depth) else { return nil }
      parts.append(part)
    } while take("AND")
    if parts.count == 1 { return parts[0] }
    let elements = parts.flatMap(\.elements)
    // Conditions on different properties stand side by side.
    if isPlain, Set(elements.map(\.key)).count == elements.count { return Document(elements) }
    return ["$and": .array(parts.map { .document($0) })]
  }

  /// A condition that is written as the import writes one of MongoDB's.
  private mutating func imported() -> Document? {
    skipSpace()
    let whole = rest
    let isNot = take("NOT")
    if take(symbol: "("), take("NOT") {}
    if take("ANY") {}
    let test = comparison()
    rest = whole
    guard let (path, relation, value) = test else { return nil }
    let conversion = ExpressionConversion(on: type, in: schema)
    var candidates: [Value] = []
    switch (relation, value) {
    case ("$ne", .null): candidates = [.null, ["$exists": .bool(true)], ["$ne": .null]]
    case ("$eq", _): candidates = [isNot ? ["$ne": value] : value]
    case ("$in", _): candidates = [isNot ? ["$nin": value] : ["$in": value]]
    default: candidates = [isNot ? ["$not": [relation: value]] : [relation: value]]
    }
    for candidate in candidates {
      let document = Document([.init(key: path, value: candidate)])
      for bound in [RuleBound.inner, .outer] {
        guard let text = try? conversion.filter(.document(document), bound, at: []),
          whole.starts(with: text.unicodeScalars)
        else { continue }
        rest = whole.dropFirst(text.unicodeScalars.count)
        return document
      }
    }
    return nil
  }

  private mutating func condition(depth: Int) -> Document? {
    if take("NOT") { return condition(depth: depth).map { ["$nor": .array([.document($0)])] } }
    if take(symbol: "(") {
      guard let inner = alternatives(depth: depth), take(symbol: ")") else { return nil }
      return inner
    }
    if take("TRUEPREDICATE") { return [:] }
    guard let (path, relation, value) = comparison() else { return nil }
    switch (relation, value) {
    case ("$eq", .null): return Document([.init(key: path, value: ["$exists": .bool(false)])])
    case ("$ne", .null): return Document([.init(key: path, value: ["$exists": .bool(true)])])
    case ("$ne", _) where isList(path): return nil
    case ("$eq", _): return Document([.init(key: path, value: value)])
    default: return Document([.init(key: path, value: [relation: value])])
    }
  }

  /// Whether RQL's `!=` is something else than MongoDB's: it holds where one of several values is another one.
  private func isList(_ path: String) -> Bool {
    if case .single? = RulePath(path.split(separator: "."), on: type, in: schema) { false } else { true }
  }

  private mutating func comparison() -> (path: String, relation: String, value: Value)? {
    guard let path = name(), path != "FALSEPREDICATE" else { return nil }
    if take("IN") { return list().map { (path, "$in", $0) } }
    for (symbol, name) in Self.relations where take(symbol: symbol) {
      return literal().map { (path, name, $0) }
    }
    return nil
  }

  private static let relations = [
    ("==", "$eq"), ("!=", "$ne"), (">=", "$gte"), ("<=", "$lte"), (">", "$gt"), ("<", "$lt"),
  ]

  private mutating func list() -> Value? {
    guard take(symbol: "{") else { return literal() }
    var values: [Value] = []
    if take(symbol: "}") { return .array([]) }
    repeat {
      guard let value = literal() else { return nil }
      values.append(value)
    } while take(symbol: ",")
    return take(symbol: "}") ? .array(values) : nil
  }

  private mutating func literal() -> Value? {
    skipSpace()
    if rest.starts(with: "%%user.".unicodeScalars) {
      rest.removeFirst(2)
      return name().map { .string("%%\($0)") }
    }
    if let quote = rest.first, quote == "'" || quote == "\"" { return text(until: quote) }
    if let first = rest.first, first == "-" || ("0"..."9").contains(first) { return number() }
    switch name()?.lowercased() {
    case "true"?: return .bool(true)
    case "false"?: return .bool(false)
    case "null"?, "nil"?: return .null
    case "oid"?:
      guard take(symbol: "(") else { return nil }
      if rest.starts(with: "%%user.".unicodeScalars) {
        guard let value = literal(), take(symbol: ")") else { return nil }
        return ["%stringToOid": value]
      }
      guard let digits = word(), take(symbol: ")") else { return nil }
      return ObjectID(digits).map { .objectID($0) }
    default: return nil
    }
  }

  private mutating func text(until quote: Unicode.Scalar) -> Value? {
    rest.removeFirst()
    var text = ""
    while let scalar = rest.popFirst() {
      if scalar == quote {
        // Such a text would be taken for something else.
        return text.hasPrefix("%%") ? nil : .string(text)
      }
      guard scalar == "\\" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "n"?: text += "\n"
      case let escaped? where escaped == "\\" || escaped == "'" || escaped == "\"":
        text.unicodeScalars.append(escaped)
      default: return nil
      }
    }
    return nil
  }

  private mutating func number() -> Value? {
    let digits = rest.prefix { ("0"..."9").contains($0) || ["-", "+", ".", "e", "E"].contains($0) }
    let text = String(String.UnicodeScalarView(digits))
    rest = rest[digits.endIndex...]
    if let integer = Int64(text) { return Int32(exactly: integer).map { .int32($0) } ?? .int64(integer) }
    return Double(text).map { .double($0) }
  }

  /// A path of names.
  private mutating func name() -> String? {
    guard var name = word(), name.first?.isNumber == false else { return nil }
    // The value of a map's key.
    while rest.starts(with: "['".unicodeScalars) {
      rest.removeFirst(2)
      guard let key = word(), take(symbol: "']") else { return nil }
      name += ".\(key)"
    }
    return name.split(separator: ".", omittingEmptySubsequences: false).contains("") ? nil : name
  }

  private mutating func word() -> String? {
    skipSpace()
    let word = rest.prefix {
      $0 == "_" || $0 == "." || $0.properties.isAlphabetic || ("0"..."9").contains($0)
    }
    rest = rest[word.endIndex...]
    return word.isEmpty ? nil : String(String.UnicodeScalarView(word))
  }

  /// Takes a word, in whatever case.
  private mutating func take(_ keyword: String) -> Bool {
    let before = rest
    if word()?.uppercased() == keyword { return true }
    rest = before
    return false
  }

  private mutating func take(symbol: String) -> Bool {
    skipSpace()
    guard rest.starts(with: symbol.unicodeScalars) else { return false }
    rest.removeFirst(symbol.unicodeScalars.count)
    return true
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0.properties.isWhitespace }
  }
}

extension Substring {
  /// The text between parentheses that belong together, where they are around all of it.
  fileprivate var insideOfParentheses: Substring? {
    guard first == "(", last == ")" else { return nil }
    var depth = 0
    var quote: Character?
    var isEscaped = false
    for index in indices {
      let character = self[index]
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
        continue
      }
      switch character {
      case "'", "\"": quote = character
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0, index != self.index(before: endIndex) { return nil }
      default: break
      }
    }
    return depth == 0 ? dropFirst().dropLast() : nil
  }
}
