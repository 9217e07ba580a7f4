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

  /// A literal or an argument.
  mutating func constant() throws(QueryError) -> Term {
    try countTerm()
    let offset = token.start
    if token.kind == .argument { return .argument(try argument(), nil, offset: offset) }
    guard let literal = try literal() else { throw unexpected(["a constant"]) }
    return .literal(literal, offset: offset)
  }

  /// `isRead` tells whether the argument is a text that is read.
  mutating func argument(isRead: Bool = false) throws(QueryError) -> Int {
    let index = try number(bytes(of: token).dropFirst(), limit: 1_000_000)
    argumentUses.append(.init(index: index, isRead: isRead, offset: token.start))
    try advance()
    return index
  }

  private func number(_ digits: ArraySlice<UInt8>, limit: Int) throws(QueryError) -> Int {
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number <= limit else {
      throw .numberOutOfRange(offset: token.start)
    }
    return number
  }

  mutating func natural() throws(QueryError) -> Int {
    if token.kind != .natural { throw unexpected([Token.Kind.natural.rawValue]) }
    let number = try number(bytes(of: token), limit: .max)
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
    depth -= 1
    return .subquery(path, variable: variable, predicate, offset: offset)
  }

  private mutating func variable() throws(QueryError) -> String {
    let word = bytes(of: token)
    guard token.kind == .identifier, word.first == UInt8(ascii: "$"), word.count > 1 else {
      throw .invalidSubqueryVariable(offset: token.start)
    }
    let name = text(of: token)
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

  /// A path without operations.
  mutating func path() throws(QueryError) -> SyntaxTree.Path {
    let path = try elements()
    if token.kind == .dot || path.suffix != nil { throw unexpected([Token.Kind.identifier.rawValue]) }
    return path
  }

  /// The elements up to a dot that an operation follows, or up to whatever else is no element.
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
    let index = try number(bytes(of: token).dropFirst(2), limit: 1_000_000)
    argumentUses.append(.init(index: index, isRead: true, offset: token.start))
    try advance()
    return .keyPathArgument(index, offset: offset)
  }

  /// A name, or one of the words that may serve as one.
  private mutating func name() throws(QueryError) -> SyntaxTree.Path.Name {
    switch token.kind {
    case .identifier, .beginsWith, .endsWith, .contains, .like, .between, .in, .text, .sort, .distinct,
      .limit, .binary, .ascending, .descending, .first, .last, .size, .keys, .values, .links:
      let name = SyntaxTree.Path.Name(text: Self.unescaped(bytes(of: token)), offset: token.start)
      try advance()
      return name
    default: throw unexpected(["a value"])
    }
  }

  private static func unescaped(_ word: ArraySlice<UInt8>) -> String {
    guard word.contains(UInt8(ascii: "\\")) else { return String(decoding: word, as: UTF8.self) }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in word {
      switch (isEscaped, Unicode.Scalar(byte)) {
      case (false, "\\"): isEscaped = true
      case (false, _): bytes.append(byte)
      case (true, "n"): (isEscaped, bytes) = (false, bytes + [0x0A])
      case (true, "r"): (isEscaped, bytes) = (false, bytes + [0x0D])
      case (true, "t"): (isEscaped, bytes) = (false, bytes + [0x09])
      case (true, _): (isEscaped, bytes) = (false, bytes + [byte])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What stands in brackets; nil for SIZE.
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
    case .string: .key(string(of: token), offset: offset)
    default: throw unexpected(["an index or key"])
    }
  }
}
