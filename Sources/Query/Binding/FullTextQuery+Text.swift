internal import GatehouseModel

extension FullTextQuery {
  /// Reads the words of a search (realm-core's `index_string.cpp`, `find_all_fulltext`): all must occur,
  /// `-word` must not, `word*` is a prefix.
  init(_ text: String, offset: Int) throws(QueryError) {
    var included: [Word] = []
    var excluded: [Word] = []
    for part in text.utf8.split(whereSeparator: { $0.isBlank }) {
      let isExcluded = part.first == UInt8(ascii: "-")
      var word = isExcluded ? part.dropFirst() : part
      let isPrefix = word.last == UInt8(ascii: "*")
      if isPrefix { word = word.dropLast() }
      let folded = Tokenizer.tokens(in: word)
      // Separators of words may stand at either end: `c++`, `(slow)`.
      guard folded.count == 1 else { throw .invalidSearchWord(offset: offset) }
      let search = Word(text: folded[0].text, isPrefix: isPrefix)
      if included.count + excluded.count == Self.wordLimit {
        throw .tooManyTerms(offset: offset, limit: Self.wordLimit)
      }
      if isExcluded { excluded.append(search) } else { included.append(search) }
    }
    if included.isEmpty && excluded.isEmpty { throw .emptySearch(offset: offset) }
    if !Set(included).isDisjoint(with: excluded) { throw .contradictorySearch(offset: offset) }
    self.init(included: included, excluded: excluded)
  }
}
