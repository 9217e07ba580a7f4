/// Cuts the text of a query into tokens. Longest match wins, as in realm-core's `query_flex.ll`.
struct Lexer {
  let bytes: [UInt8]
  var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next token; at the end of the text `end`, for ever.
  mutating func next() throws(QueryError) -> Token {
    while position < bytes.count, bytes[position].isBlank { position += 1 }
    guard position < bytes.count else {
      return Token(kind: .end, start: position, end: position)
    }
    let start = position
    let kind = try kind(from: bytes[position])
    precondition(position > start && position <= bytes.count, "a token takes some of the text that is there")
    return Token(kind: kind, start: start, end: position)
  }

  private mutating func kind(from byte: UInt8) throws(QueryError) -> Token.Kind {
    if byte.beginsIdentifier { return try word(from: byte) }
    if byte.isDigit { return number() }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string(.string)
    case UInt8(ascii: "@"): return try operation()
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): return signOrNumber()
    case UInt8(ascii: "["): return leftBracket()
    default: return try symbol(byte)
    }
  }
}

extension Lexer {
  /// Whether the next token begins with `@`.
  var isBeforeOperation: Bool {
    var place = position
    while place < bytes.count, bytes[place].isBlank { place += 1 }
    return place < bytes.count && bytes[place] == UInt8(ascii: "@")
  }

  /// The byte `offset` further on; 0 beyond the end.
  func peek(_ offset: Int = 0) -> UInt8 {
    position + offset < bytes.count ? bytes[position + offset] : 0
  }

  mutating func advance(_ count: Int = 1) {
    position += count
  }

  mutating func skip(while condition: (UInt8) -> Bool) {
    while position < bytes.count, condition(bytes[position]) { position += 1 }
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    if peek() != byte || position >= bytes.count { return false }
    position += 1
    return true
  }

  private mutating func leftBracket() -> Token.Kind {
    if peek(1) == UInt8(ascii: "c"), peek(2) == UInt8(ascii: "]") {
      advance(3)
      return .caseInsensitive
    }
    advance()
    return .leftBracket
  }

  private mutating func symbol(_ byte: UInt8) throws(QueryError) -> Token.Kind {
    if let (kind, length) = Self.operator(byte, peek(1)) {
      advance(length)
      return kind
    }
    throw .invalidCharacter(offset: position)
  }

  private static func `operator`(_ first: UInt8, _ second: UInt8) -> (Token.Kind, Int)? {
    switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
    case ("=", "="): (.equal, 2)
    case ("=", "<"): (.lessOrEqual, 2)
    case ("=", ">"): (.greaterOrEqual, 2)
    case ("=", _): (.equal, 1)
    case ("!", "="): (.notEqual, 2)
    case ("!", _): (.not, 1)
    case ("<", ">"): (.notEqual, 2)
    case ("<", "="): (.lessOrEqual, 2)
    case ("<", _): (.less, 1)
    case (">", "="): (.greaterOrEqual, 2)
    case (">", _): (.greater, 1)
    case ("&", "&"): (.and, 2)
    case ("|", "|"): (.or, 2)
    case ("*", _): (.times, 1)
    case ("/", _): (.divided, 1)
    case ("(", _): (.leftParenthesis, 1)
    case (")", _): (.rightParenthesis, 1)
    case ("{", _): (.leftBrace, 1)
    case ("}", _): (.rightBrace, 1)
    case ("]", _): (.rightBracket, 1)
    case (",", _): (.comma, 1)
    default: nil
    }
  }

  private mutating func operation() throws(QueryError) -> Token.Kind {
    let start = position
    advance()
    skip { $0.isLetter }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let kind = Self.operations[name] else { throw .invalidCharacter(offset: start) }
    return kind
  }

  private static let operations: [String: Token.Kind] = [
    "@count": .count, "@size": .count, "@min": .minimum, "@max": .maximum, "@sum": .sum, "@avg": .average,
    "@links": .links, "@type": .type, "@keys": .keys, "@values": .values,
  ]
}
