public import GatehouseModel

extension FullTextQuery {
  /// Whether a text holds all included words and none of the excluded ones.
  public func matches(_ value: Mixed) -> Bool {
    guard case .string(let text) = value else { return false }
    return matches(Tokenizer.tokens(in: text.utf8).map(\.text))
  }

  package func matches(_ tokens: [String]) -> Bool {
    included.allSatisfy { word in tokens.contains(where: word.matches) }
      && !excluded.contains { word in tokens.contains(where: word.matches) }
  }
}

extension FullTextQuery.Word {
  fileprivate func matches(_ token: String) -> Bool {
    isPrefix ? token.utf8.starts(with: text.utf8) : token.compareBytes(text) == 0
  }
}
