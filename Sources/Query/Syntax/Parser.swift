/// Reads a query by recursive descent over the grammar of realm-core's `query_bison.yy`.
///
/// AND and OR are read flat, so that recursion is as deep as parentheses, NOT and SUBQUERY are, which
/// ``depthLimit`` bounds.
struct Parser {
  static let lengthLimit = 1 << 18
  static let depthLimit = 100
  static let termLimit = 20_000

  private(set) var lexer: Lexer
  private(set) var token: Token
  private var depth = 0
  private var terms = 0
  private var argumentUses: [SyntaxTree.ArgumentUse] = []

  init(_ text: String) throws(QueryError) {
    if text.utf8.count > Self.lengthLimit { throw .textTooLong(limit: Self.lengthLimit) }
    lexer = Lexer(Array(text.utf8))
    token = Token(kind: .end, start: 0, end: 0)
    try advance()
  }

  /// Reads the whole text.
  mutating func tree() throws(QueryError) -> SyntaxTree {
    let predicate = try predicate()
    var clauses: [SyntaxTree.Clause] = []
    while token.kind != .end {
      clauses.append(try clause())
    }
    precondition(depth == 0, "each level that was entered was left")
    return SyntaxTree(predicate: predicate, clauses: clauses, argumentUses: argumentUses)
  }

  /// Reads a list of paths and nothing else: the parameters beside the filter.
  mutating func paths() throws(QueryError) -> [(path: SyntaxTree.Path, ascending: Bool)] {
    var keys: [(path: SyntaxTree.Path, ascending: Bool)] = []
    repeat {
      let descending = try take(.minus)
      if !descending { _ = try take(.plus) }
      keys.append((try path(), !descending))
    } while try take(.comma)
    try expect(.end)
    return keys
  }
}

extension Parser {
  /// Reads the text of a filter.
  static func tree(of filter: String) throws(QueryError) -> SyntaxTree {
    var parser = try Parser(filter)
    return try parser.tree()
  }

  mutating func advance() throws(QueryError) {
    token = try lexer.next()
  }

  /// Takes the token if it is of that kind.
  mutating func take(_ kind: Token.Kind) throws(QueryError) -> Bool {
    if token.kind != kind { return false }
    try advance()
    return true
  }

  mutating func expect(_ kind: Token.Kind) throws(QueryError) {
    if token.kind != kind { throw unexpected([kind.rawValue]) }
    if kind != .end { return try advance() }
    precondition(depth == 0, "each level that was entered was left at the end of the text")
  }

  /// Returns the error for the token at hand.
  func unexpected(_ expected: [String]) -> QueryError {
    // The kind: the text may be a value, which belongs in no message.
    .unexpectedToken(offset: token.start, found: token.kind.rawValue, expected: expected)
  }

  /// The text of the token at hand.
  var lexeme: Lexeme { Lexeme(bytes: lexer.bytes[token.start..<token.end], offset: token.start) }

  /// Counts a level of nesting, until ``leave()``.
  mutating func enter() throws(QueryError) {
    depth += 1
    if depth > Self.depthLimit { throw .tooDeep(offset: token.start, limit: Self.depthLimit) }
  }

  mutating func leave() {
    precondition(depth > 0, "a level that is left was entered")
    depth -= 1
  }

  /// Reads the number of an argument behind its prefix, and notes where it is used; `isRead` tells whether its value is a
  /// text that is read.
  mutating func argument(behind prefix: Int = 1, isRead: Bool = false) throws(QueryError) -> Int {
    let index = try lexeme.number(behind: prefix, limit: 1_000_000)
    argumentUses.append(.init(index: index, isRead: isRead, offset: token.start))
    try advance()
    return index
  }

  mutating func countTerm() throws(QueryError) {
    terms += 1
    if terms > Self.termLimit { throw .tooManyTerms(offset: token.start, limit: Self.termLimit) }
  }
}
