/// The lexer and the parser alone, for fuzzing.
package enum SyntaxCheck {
  /// How many tokens there are. Traps where tokens overlap or do not move on.
  package static func tokens(in bytes: [UInt8]) throws(QueryError) -> Int {
    var lexer = Lexer(bytes)
    var end = 0
    var count = 0
    while true {
      let token = try lexer.next()
      precondition(
        token.start >= end && token.end <= bytes.count, "tokens follow each other and lie within the text")
      if token.kind == .end { return count }
      precondition(token.end > token.start, "a token moves on")
      end = token.end
      count += 1
    }
  }

  /// How many clauses follow the predicate.
  package static func clauses(in text: String) throws(QueryError) -> Int {
    var parser = try Parser(text)
    return try parser.tree().clauses.count
  }
}
