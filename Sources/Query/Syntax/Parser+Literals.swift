/// Literals.
extension Parser {
  typealias Literal = SyntaxTree.Literal

  /// The literal at hand, or nil if there is none.
  mutating func literal() throws(QueryError) -> Literal? {
    switch token.kind {
    case .obj: return try object()
    case .binary: return try data()
    default:
      guard let literal = try word() else { return nil }
      try advance()
      return literal
    }
  }

  /// The literal that the token at hand is.
  private func word() throws(QueryError) -> Literal? {
    switch token.kind {
    case .null: .null
    case .true: .bool(true)
    case .false: .bool(false)
    case .natural, .number: .integer(lexeme.text)
    case .float: lexeme.float
    case .infinity: .infinity(isNegative: lexeme.bytes.first == UInt8(ascii: "-"))
    case .nan: .nan
    case .string: .string(lexeme.string)
    case .base64: .string(String(decoding: try lexeme.base64(), as: UTF8.self))
    case .timestamp: try lexeme.timestamp()
    case .date: try lexeme.date()
    case .uuid: .uuid(String(decoding: lexeme.bytes.dropFirst(5).dropLast(), as: UTF8.self))
    case .objectID: .objectID(String(decoding: lexeme.bytes.dropFirst(4).dropLast(), as: UTF8.self))
    default: nil
    }
  }

  /// `bin("…")`, from `bin` on.
  private mutating func data() throws(QueryError) -> Literal? {
    var ahead = lexer
    // A property may be called `binary`.
    guard try ahead.next().kind == .leftParenthesis else { return nil }
    try advance()
    try advance()
    let bytes: [UInt8]
    switch token.kind {
    case .string: bytes = Array(lexeme.string.utf8)
    case .base64: bytes = try lexeme.base64()
    default: throw unexpected([Token.Kind.string.rawValue])
    }
    try advance()
    try expect(.rightParenthesis)
    return .data(bytes)
  }

  /// `obj("Class", primary key)`.
  private mutating func object() throws(QueryError) -> Literal {
    try advance()
    try expect(.leftParenthesis)
    if token.kind != .string { throw unexpected(["the name of a class"]) }
    let name = lexeme.string
    try advance()
    try expect(.comma)
    try enter()
    let primaryKey = try constant()
    leave()
    try expect(.rightParenthesis)
    return .object(objectType: name, primaryKey: primaryKey)
  }
}
