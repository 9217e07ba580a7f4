/// Names, keywords, arguments, strings, and the literals that begin like a name.
extension Lexer {
  /// A token that begins as a name does.
  mutating func word(from byte: UInt8) throws(QueryError) -> Token.Kind {
    switch byte {
    case UInt8(ascii: "T")
    where peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") || peek(1).isDigit:
      if timestamp() { return .timestamp }
    case UInt8(ascii: "B") where peek(1) == UInt8(ascii: "6") && peek(2) == UInt8(ascii: "4"):
      if peek(3) == UInt8(ascii: "\"") || peek(3) == UInt8(ascii: "'") {
        advance(3)
        return try string(.base64)
      }
    case UInt8(ascii: "u"):
      if call("uuid(", digits: [8, 4, 4, 4, 12]) { return .uuid }
    case UInt8(ascii: "o"):
      if call("oid(", digits: [24]) { return .objectID }
    default: break
    }
    return try name()
  }

  private mutating func name() throws(QueryError) -> Token.Kind {
    let start = position
    var isEscaped = false
    while position < bytes.count {
      if bytes[position].continuesIdentifier {
        position += 1
      } else if bytes[position] == UInt8(ascii: "\\"), Self.isNameEscape(peek(1)) {
        position += 2
        isEscaped = true
      } else {
        break
      }
    }
    let word = bytes[start..<position]
    if isEscaped { return .identifier }
    if word.first == UInt8(ascii: "$") { return Self.argument(word.dropFirst()) }
    return Keywords.kind(of: word) ?? .identifier
  }

  private static func isNameEscape(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case " ", "n", "r", "t": true
    default: false
    }
  }

  /// Reads the word that follows a `$`.
  private static func argument(_ word: ArraySlice<UInt8>) -> Token.Kind {
    if word.isEmpty { return .identifier }
    if word.allSatisfy({ $0.isDigit }) { return .argument }
    let digits = word.dropFirst()
    let isKeyPath = word.first == UInt8(ascii: "K") && !digits.isEmpty && digits.allSatisfy { $0.isDigit }
    return isKeyPath ? .keyPathArgument : .identifier
  }

  /// `uuid(…)` or `oid(…)` without inner blanks; stays where it is if there is none.
  private mutating func call(_ opening: String, digits: [Int]) -> Bool {
    let start = position
    for byte in opening.utf8 where !skip(byte) {
      position = start
      return false
    }
    for (index, count) in digits.enumerated() {
      let begin = position
      skip { $0.isHexDigit }
      let closing = index == digits.count - 1 ? UInt8(ascii: ")") : UInt8(ascii: "-")
      if position - begin != count || !skip(closing) {
        position = start
        return false
      }
    }
    return true
  }

  /// A quoted string, from its opening quote on.
  mutating func string(_ kind: Token.Kind) throws(QueryError) -> Token.Kind {
    let start = position
    let quote = peek()
    advance()
    while position < bytes.count {
      switch bytes[position] {
      case quote:
        advance()
        return kind
      case UInt8(ascii: "\\"): try escape()
      default: position += 1
      }
    }
    throw .unterminatedString(offset: start)
  }

  private mutating func escape() throws(QueryError) {
    switch Unicode.Scalar(peek(1)) {
    case "\"", "'", "/", "b", "f", "n", "r", "t", "0", "\\": advance(2)
    case "u" where (2...5).allSatisfy({ peek($0).isHexDigit }): advance(6)
    default: throw .invalidEscape(offset: position)
    }
  }
}
