internal import BSON

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
    case .natural, .number: .integer(text(of: token))
    case .float: float()
    case .infinity: .infinity(isNegative: bytes(of: token).first == UInt8(ascii: "-"))
    case .nan: .nan
    case .string: .string(string(of: token))
    case .base64: .string(String(decoding: try base64(), as: UTF8.self))
    case .timestamp: try timestamp()
    case .date: try date()
    case .uuid: .uuid(String(decoding: bytes(of: token).dropFirst(5).dropLast(), as: UTF8.self))
    case .objectID: .objectID(String(decoding: bytes(of: token).dropFirst(4).dropLast(), as: UTF8.self))
    default: nil
    }
  }

  private func float() -> Literal {
    let word = bytes(of: token)
    let isFloat32 = word.last == UInt8(ascii: "f")
    return .float(String(decoding: isFloat32 ? word.dropLast() : word, as: UTF8.self), isFloat32: isFloat32)
  }

  /// The string between the quotes, its escapes decoded.
  func string(of token: Token) -> String {
    let quoted = bytes(of: token).dropFirst().dropLast()
    return quoted.contains(UInt8(ascii: "\\"))
      ? Self.decoded(quoted) : String(decoding: quoted, as: UTF8.self)
  }

  /// realm-core checks escapes but keeps them as they are; here they mean what they mean everywhere else.
  private static func decoded(_ text: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    var rest = Substring(decoding: text, as: UTF8.self).unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        scalars.append(scalar)
        continue
      }
      scalars.append(escape == "u" ? codePoint(&rest) : simpleEscape(escape))
    }
    return String(scalars)
  }

  private static func simpleEscape(_ escape: Unicode.Scalar) -> Unicode.Scalar {
    switch escape {
    case "b": "\u{8}"
    case "f": "\u{C}"
    case "n": "\n"
    case "r": "\r"
    case "t": "\t"
    case "0": "\0"
    default: escape
    }
  }

  /// Four hexadecimal digits, or two surrogates of four.
  private static func codePoint(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
    let unit = codeUnit(&rest)
    guard 0xD800..<0xDC00 ~= unit, rest.starts(with: ["\\", "u"]) else {
      return Unicode.Scalar(unit) ?? "\u{FFFD}"
    }
    var ahead = rest.dropFirst(2)
    let low = codeUnit(&ahead)
    guard 0xDC00..<0xE000 ~= low else { return "\u{FFFD}" }
    rest = ahead
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private static func codeUnit(_ rest: inout Substring.UnicodeScalarView) -> UInt32 {
    var unit: UInt32 = 0
    for scalar in rest.prefix(4) {
      unit =
        unit << 4
        | UInt32(scalar.properties.numericType == nil ? scalar.value | 0x20 - 87 : scalar.value - 48)
    }
    rest = rest.dropFirst(4)
    return unit
  }

  private func base64() throws(QueryError) -> [UInt8] {
    let word = String(decoding: bytes(of: token).dropFirst(4).dropLast(), as: UTF8.self)
    guard let bytes = Base64.decode(word) else { throw .invalidBase64(offset: token.start) }
    return bytes
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
    case .string: bytes = Array(string(of: token).utf8)
    case .base64: bytes = try base64()
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
    let name = string(of: token)
    try advance()
    try expect(.comma)
    try enter()
    let primaryKey = try constant()
    depth -= 1
    try expect(.rightParenthesis)
    return .object(objectType: name, primaryKey: primaryKey)
  }
}
