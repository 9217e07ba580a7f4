/// Values: literals, lists, arguments, paths and what is computed from paths.
extension Parser {
  mutating func value() throws(QueryError) -> Term {
    try countTerm()
    let quantifier = try quantifier()
    let offset = token.start
    if token.kind == .leftBrace {
      return .list(try list(), quantifier, offset: offset)
    }
    if token.kind == .argument {
      let index = try argument()
      return .argument(index, quantifier, offset: offset)
    }
    if quantifier != nil { return try pathValue(quantifier) }
    if let literal = try literal() { return .literal(literal, offset: offset) }
    if token.kind == .subquery { return try subquery() }
    return try pathValue(nil)
  }

  private mutating func quantifier() throws(QueryError) -> Quantifier? {
    let quantifier: Quantifier
    switch token.kind {
    case .any: quantifier = .any
    case .all: quantifier = .all
    case .none: quantifier = .none
    default: return nil
    }
    try advance()
    return quantifier
  }

  private mutating func list() throws(QueryError) -> [Term] {
    try expect(.leftBrace)
    var items: [Term] = []
    if try take(.rightBrace) { return items }
    repeat {
      items.append(try constant())
    } while try take(.comma)
    try expect(.rightBrace)
    return items
  }

  /// Reads a literal or an argument.
  mutating func constant() throws(QueryError) -> Term {
    try countTerm()
    let offset = token.start
    if token.kind == .argument { return .argument(try argument(), nil, offset: offset) }
    guard let literal = try literal() else { throw unexpected(["a constant"]) }
    return .literal(literal, offset: offset)
  }

  mutating func natural() throws(QueryError) -> Int {
    if token.kind != .natural { throw unexpected([Token.Kind.natural.rawValue]) }
    let number = try lexeme.number(limit: .max)
    try advance()
    return number
  }

  private mutating func subquery() throws(QueryError) -> Term {
    let offset = token.start
    try enter()
    try advance()
    try expect(.leftParenthesis)
    let path = try path()
    try expect(.comma)
    let variable = try variable()
    try expect(.comma)
    let predicate = try predicate()
    try expect(.rightParenthesis)
    try expect(.dot)
    try expect(.count)
    leave()
    return .subquery(path, variable: variable, predicate, offset: offset)
  }

  private mutating func variable() throws(QueryError) -> String {
    let word = lexeme.bytes
    guard token.kind == .identifier, word.first == UInt8(ascii: "$"), word.count > 1 else {
      throw .invalidSubqueryVariable(offset: token.start)
    }
    let name = lexeme.text
    try advance()
    return name
  }
}

/// Paths.
extension Parser {
  private mutating func pathValue(_ quantifier: Quantifier?) throws(QueryError) -> Term {
    var path = try elements()
    path.quantifier = quantifier
    guard token.kind == .dot else { return .path(path) }
    // `elements` stops at a dot only where an operation follows.
    try advance()
    switch token.kind {
    case .count:
      path.suffix = .count
      try advance()
      return .path(path)
    case .type:
      path.suffix = .type
      try advance()
      return .path(path)
    case .minimum: return try aggregate(.minimum, path)
    case .maximum: return try aggregate(.maximum, path)
    case .sum: return try aggregate(.sum, path)
    case .average: return try aggregate(.average, path)
    default: throw unexpected([Token.Kind.identifier.rawValue])
    }
  }

  private mutating func aggregate(
    _ function: AggregateFunction, _ path: SyntaxTree.Path
  ) throws(QueryError) -> Term {
    if path.quantifier != nil { throw unexpected([Token.Kind.identifier.rawValue]) }
    try advance()
    guard try take(.dot) else { return .aggregate(path, function, property: nil) }
    return .aggregate(path, function, property: try name())
  }

  /// Reads a path without operations.
  mutating func path() throws(QueryError) -> SyntaxTree.Path {
    let path = try elements()
    if token.kind == .dot || path.suffix != nil { throw unexpected([Token.Kind.identifier.rawValue]) }
    return path
  }

  /// Reads the elements up to a dot that an operation follows, or up to whatever else is no element.
  private mutating func elements() throws(QueryError) -> SyntaxTree.Path {
    let offset = token.start
    var path = SyntaxTree.Path(
      elements: [try firstElement()], quantifier: nil, suffix: nil, offset: offset)
    while true {
      switch token.kind {
      case .dot:
        if isOperationNext { return path }
        try advance()
        path.elements.append(.name(try name()))
      case .leftBracket:
        if let index = try index() {
          path.elements.append(index)
        } else {
          path.suffix = .count
          return path
        }
      default: return path
      }
      if path.elements.count > Self.depthLimit {
        throw .tooDeep(offset: token.start, limit: Self.depthLimit)
      }
    }
  }

  private var isOperationNext: Bool {
    if !lexer.isBeforeOperation { return false }
    var ahead = lexer
    switch try? ahead.next().kind {
    case .count, .type, .minimum, .maximum, .sum, .average: return true
    default: return false
    }
  }

  private mutating func firstElement() throws(QueryError) -> SyntaxTree.Path.Element {
    let offset = token.start
    guard token.kind == .keyPathArgument else { return .name(try name()) }
    return .keyPathArgument(try argument(behind: 2, isRead: true), offset: offset)
  }

  /// Reads a name, or one of the words that may serve as one.
  private mutating func name() throws(QueryError) -> SyntaxTree.Path.Name {
    switch token.kind {
    case .identifier, .beginsWith, .endsWith, .contains, .like, .between, .in, .text, .sort, .distinct,
      .limit, .binary, .ascending, .descending, .first, .last, .size, .keys, .values, .links:
      let name = SyntaxTree.Path.Name(text: lexeme.name, offset: token.start)
      try advance()
      return name
    default: throw unexpected(["a value"])
    }
  }

  /// Reads what stands in brackets; nil for SIZE.
  private mutating func index() throws(QueryError) -> SyntaxTree.Path.Element? {
    try expect(.leftBracket)
    let offset = token.start
    let element: SyntaxTree.Path.Element?
    switch token.kind {
    case .natural: element = .position(.at(try natural()), offset: offset)
    case .argument: element = .argument(try argument(), offset: offset)
    default:
      element = try fixedIndex(offset)
      try advance()
    }
    try expect(.rightBracket)
    return element
  }

  private func fixedIndex(_ offset: Int) throws(QueryError) -> SyntaxTree.Path.Element? {
    switch token.kind {
    case .first: .position(.at(0), offset: offset)
    case .last: .position(.last, offset: offset)
    case .size: nil
    case .times: .all(offset: offset)
    case .string: .key(lexeme.string, offset: offset)
    default: throw unexpected(["an index or key"])
    }
  }
}
