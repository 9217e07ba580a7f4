internal import GatehouseModel

/// Reads the format of a predicate by recursive descent, over Cocoa's grammar ("Predicate Format String Syntax").
///
/// A parenthesis may begin a predicate or a term; that shows only behind it, so either is read as an ``Item``, and
/// nothing is read twice.
struct FormatParser {
  static let depthLimit = 100
  static let termLimit = 20_000

  /// A predicate, or a term that may become one side of one.
  private enum Item {
    case predicate(PredicateSyntax)
    case term(PredicateTerm)
  }

  private var lexer: FormatLexer
  private var token = FormatLexer.Token.end
  private var arguments: ArraySlice<Any>
  private var depth = 0
  private var terms = 0

  /// Reads a format; `arguments` take the places of `%@` and `%K` in their order.
  static func parse(_ format: String, arguments: [Any]) throws(RealmPredicateError) -> PredicateSyntax {
    var parser = try FormatParser(format, arguments)
    let predicate = try parser.predicate(of: parser.disjunction())
    guard parser.token == .end else { throw parser.lexer.unreadable }
    return predicate
  }

  private init(_ format: String, _ arguments: [Any]) throws(RealmPredicateError) {
    lexer = try FormatLexer(format)
    self.arguments = arguments[...]
    token = try lexer.next()
  }
}

/// Tokens.
extension FormatParser {
  private mutating func advance() throws(RealmPredicateError) { token = try lexer.next() }

  private mutating func take(_ symbol: FormatLexer.Symbol) throws(RealmPredicateError) -> Bool {
    guard token == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ symbol: FormatLexer.Symbol) throws(RealmPredicateError) {
    guard try take(symbol) else { throw lexer.unreadable }
  }

  /// The keyword at hand, in capitals; nil: it is none.
  private var keyword: String? {
    if case .word(let word, isEscaped: false) = token { word.uppercased() } else { nil }
  }

  private mutating func take(keyword: String) throws(RealmPredicateError) -> Bool {
    guard self.keyword == keyword else { return false }
    try advance()
    return true
  }

  private mutating func nextArgument() throws(RealmPredicateError) -> Any {
    guard let argument = arguments.popFirst() else {
      throw RealmPredicateError(
        "Invalid format", "Insufficient arguments for the format string's conversions")
    }
    return argument
  }

  private mutating func enter() throws(RealmPredicateError) {
    depth += 1
    if depth > Self.depthLimit { throw .tooDeep }
  }
}

/// Predicates.
extension FormatParser {
  private func predicate(of item: Item) throws(RealmPredicateError) -> PredicateSyntax {
    guard case .predicate(let predicate) = item else { throw lexer.unreadable }
    return predicate
  }

  private mutating func disjunction() throws(RealmPredicateError) -> Item {
    let first = try conjunction()
    var parts: [PredicateSyntax] = []
    while token == .symbol(.or) || keyword == "OR" {
      if parts.isEmpty { parts.append(try predicate(of: first)) }
      try advance()
      parts.append(try predicate(of: conjunction()))
    }
    return parts.isEmpty ? first : .predicate(parts.dropFirst().reduce(parts[0]) { .or($0, $1) })
  }

  private mutating func conjunction() throws(RealmPredicateError) -> Item {
    let first = try negation()
    var parts: [PredicateSyntax] = []
    while token == .symbol(.and) || keyword == "AND" {
      if parts.isEmpty { parts.append(try predicate(of: first)) }
      try advance()
      parts.append(try predicate(of: negation()))
    }
    return parts.isEmpty ? first : .predicate(parts.dropFirst().reduce(parts[0]) { .and($0, $1) })
  }

  private mutating func negation() throws(RealmPredicateError) -> Item {
    guard token == .symbol(.not) || keyword == "NOT" else { return try comparison() }
    try enter()
    defer { depth -= 1 }
    try advance()
    return .predicate(.not(try predicate(of: negation())))
  }

  private mutating func comparison() throws(RealmPredicateError) -> Item {
    terms += 1
    if terms > Self.termLimit { throw .tooManyTerms }
    if try take(keyword: "TRUEPREDICATE") { return .predicate(.truth(true)) }
    if try take(keyword: "FALSEPREDICATE") { return .predicate(.truth(false)) }
    let quantifier = keyword.flatMap { ["ANY", "SOME", "ALL", "NONE"].contains($0) ? $0 : nil }
    if quantifier != nil { try advance() }
    let left: PredicateTerm
    switch try side() {
    case .predicate(let predicate):
      guard quantifier == nil else { throw lexer.unreadable }
      return .predicate(predicate)
    case .term(let term): left = term
    }
    guard let relation = try relation() else {
      guard quantifier == nil else { throw lexer.unreadable }
      return .term(left)
    }
    let options = try options()
    guard case .term(let right) = try side() else { throw lexer.unreadable }
    let modifier: PredicateComparison.Modifier? = quantifier.map { $0 == "ALL" ? .all : .any }
    let comparison = PredicateSyntax.comparison(
      PredicateComparison(left: left, relation: relation, right: right, modifier: modifier, options: options))
    return .predicate(quantifier == "NONE" ? .not(comparison) : comparison)
  }

  private mutating func relation() throws(RealmPredicateError) -> PredicateRelation? {
    let relation: PredicateRelation?
    if case .symbol(let symbol) = token {
      relation =
        switch symbol {
        case .equals, .assigns: .equal
        case .notEqual, .lessOrGreater: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    } else {
      let words: [PredicateRelation] = [.in, .between, .contains, .beginsWith, .endsWith, .like, .matches]
      relation = keyword.flatMap { word in words.first { $0.rawValue == word } }
    }
    if relation != nil { try advance() }
    return relation
  }

  /// `[cd]`; `n` and `l`, which Cocoa has as well, change nothing.
  private mutating func options() throws(RealmPredicateError) -> StringOptions {
    guard token == .symbol(.leftBracket) else { return [] }
    try advance()
    guard case .word(let letters, _) = token, letters.lowercased().allSatisfy({ "cdnl".contains($0) }) else {
      throw lexer.unreadable
    }
    try advance()
    try expect(.rightBracket)
    var options: StringOptions = []
    if letters.lowercased().contains("c") { options.insert(.caseInsensitive) }
    if letters.lowercased().contains("d") { options.insert(.diacriticInsensitive) }
    return options
  }
}

/// Terms.
extension FormatParser {
  /// Reads a term with arithmetic, or a predicate in parentheses.
  private mutating func side() throws(RealmPredicateError) -> Item {
    var item = try primary()
    while case .symbol(let symbol) = token, [.plus, .minus, .times, .divided, .power].contains(symbol) {
      guard case .term = item else { throw lexer.unreadable }
      try advance()
      guard case .term = try primary() else { throw lexer.unreadable }
      item = .term(.function)
    }
    return item
  }

  private mutating func primary() throws(RealmPredicateError) -> Item {
    terms += 1
    if terms > Self.termLimit { throw .tooManyTerms }
    switch token {
    case .symbol(.leftParenthesis):
      try enter()
      defer { depth -= 1 }
      try advance()
      let item = try disjunction()
      try expect(.rightParenthesis)
      return item
    case .symbol(.leftBrace): return .term(try list())
    case .symbol(.minus):
      try advance()
      return .term(.constant(.value(try negative())))
    case .integer(let value): return try constant(.value(.int(value)))
    case .double(let value): return try constant(.value(.double(value)))
    case .string(let value): return try constant(.value(.string(value)))
    case .argument: return try constant(PredicateConstant(nextArgument()))
    case .word, .variable, .keyPathArgument, .operation: return .term(try named())
    case .symbol, .end: throw lexer.unreadable
    }
  }

  private mutating func constant(_ constant: PredicateConstant) throws(RealmPredicateError) -> Item {
    try advance()
    return .term(.constant(constant))
  }

  private mutating func negative() throws(RealmPredicateError) -> Mixed {
    let value: Mixed
    switch token {
    case .integer(let number): value = .int(0 &- number)
    // The least int is one below the negative of the greatest.
    case .double(let number) where number == 0x1p63: value = .int(.min)
    case .double(let number): value = .double(-number)
    default: throw lexer.unreadable
    }
    try advance()
    return value
  }

  private mutating func list() throws(RealmPredicateError) -> PredicateTerm {
    try enter()
    defer { depth -= 1 }
    try expect(.leftBrace)
    var elements: [PredicateTerm] = []
    if try take(.rightBrace) { return .list(elements) }
    repeat {
      guard case .term(let element) = try side() else { throw lexer.unreadable }
      elements.append(element)
    } while try take(.comma)
    try expect(.rightBrace)
    return .list(elements)
  }

  /// Reads what begins with a name: a constant, a function, SUBQUERY or a path.
  private mutating func named() throws(RealmPredicateError) -> PredicateTerm {
    switch keyword {
    case "TRUE", "YES": return try constant(.bool(true))
    case "FALSE", "NO": return try constant(.bool(false))
    case "NULL", "NIL": return try constant(.null)
    case "SUBQUERY": return try subquery()
    default: break
    }
    var path = PredicatePath(try firstElements())
    if token == .symbol(.leftParenthesis) { return try function() }
    try appendElements(to: &path)
    return .path(path)
  }

  private mutating func constant(_ value: Mixed) throws(RealmPredicateError) -> PredicateTerm {
    try advance()
    return .constant(.value(value))
  }

  /// Passes over the arguments of a function, of which Realm has none.
  private mutating func function() throws(RealmPredicateError) -> PredicateTerm {
    try enter()
    defer { depth -= 1 }
    try expect(.leftParenthesis)
    if try take(.rightParenthesis) { return .function }
    repeat {
      guard case .term = try side() else { throw lexer.unreadable }
    } while try take(.comma)
    try expect(.rightParenthesis)
    return .function
  }

  /// `SUBQUERY(collection, $variable, predicate).@count`.
  private mutating func subquery() throws(RealmPredicateError) -> PredicateTerm {
    try enter()
    defer { depth -= 1 }
    try advance()
    try expect(.leftParenthesis)
    guard case .term(.path(let collection)) = try side() else { throw lexer.unreadable }
    try expect(.comma)
    guard case .variable(let variable) = token else { throw lexer.unreadable }
    try advance()
    try expect(.comma)
    let predicate = try predicate(of: disjunction())
    try expect(.rightParenthesis)
    guard token == .symbol(.dot) else { throw RealmPredicateError.subqueryCount }
    try advance()
    guard token == .operation("@count") else { throw RealmPredicateError.subqueryCount }
    try advance()
    return .subquery(collection, variable: variable, predicate)
  }
}

/// Paths.
extension FormatParser {
  private mutating func firstElements() throws(RealmPredicateError) -> [PredicatePath.Element] {
    // The object itself has no name.
    if try take(keyword: "SELF") { return [] }
    return try names()
  }

  /// Reads one name, or the names that an argument holds.
  private mutating func names() throws(RealmPredicateError) -> [PredicatePath.Element] {
    let elements: [PredicatePath.Element]
    switch token {
    case .word(let name, _), .variable(let name), .operation(let name): elements = [.name(name)]
    case .keyPathArgument:
      let argument = try nextArgument()
      guard case .value(.string(let text)) = PredicateConstant(argument) else {
        throw RealmPredicateError("Invalid format", "The argument of %K is no key path: \(argument)")
      }
      elements = text.split(separator: ".", omittingEmptySubsequences: false).map { .name(String($0)) }
      if elements.count > Self.depthLimit { throw .tooDeep }
    default: throw lexer.unreadable
    }
    try advance()
    return elements
  }

  private mutating func appendElements(to path: inout PredicatePath) throws(RealmPredicateError) {
    while true {
      if try take(.dot) {
        path.elements += try names()
      } else if token == .symbol(.leftBracket) {
        path.elements.append(try index())
      } else {
        return
      }
      if path.elements.count > Self.depthLimit { throw .tooDeep }
    }
  }

  private mutating func index() throws(RealmPredicateError) -> PredicatePath.Element {
    try expect(.leftBracket)
    let element: PredicatePath.Element
    switch token {
    case .integer(let index): element = .position(Int(index))
    case .string(let key): element = .key(key)
    case .symbol(.times): element = .all
    case .word(let word, isEscaped: true) where word.lowercased() == "any": element = .all
    case .argument: element = try Self.index(PredicateConstant(nextArgument()))
    case .keyPathArgument: element = try Self.index(PredicateConstant(nextArgument()), isWord: true)
    default:
      switch keyword {
      case "FIRST": element = .first
      case "LAST": element = .last
      case "SIZE": element = .name("@count")
      default: throw lexer.unreadable
      }
    }
    try advance()
    try expect(.rightBracket)
    return element
  }

  private static func index(
    _ constant: PredicateConstant, isWord: Bool = false
  ) throws(RealmPredicateError) -> PredicatePath.Element {
    switch constant {
    case .value(.string("#any")) where isWord: .all
    case .value(.string(let key)): .key(key)
    case .value(.int(let index)): .position(Int(index))
    case .value, .object, .list, .dictionary, .region, .other:
      throw RealmPredicateError("Invalid format", "The subscript '\(constant)' is neither an index nor a key")
    }
  }
}
