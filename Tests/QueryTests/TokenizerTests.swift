import GatehouseModel
import Testing

@testable import GatehouseQuery

@Suite struct TokenizerTests {
  @Test(
    arguments: [
      ("", [], []), (" ,. ", [], []), ("c++", ["c"], [1]),
      ("Grüße, Ænima-42", ["gruße", "ænima", "42"], [7, 6, 2]),
      ("naïve ÀÉÎÕÜ", ["naive", "aeiou"], [6, 10]), ("aÿb", ["a", "b"], [1, 1]), ("東京 Ōsaka", ["saka"], [4]),
      ("x×y÷z", ["x", "y", "z"], [1, 1, 1]),
    ] as [(String, [String], [Int])])
  func `words are runs of letters and digits of Latin-1, folded`(
    text: String, words: [String], lengths: [Int]
  ) {
    let tokens = Tokenizer.tokens(in: text.utf8)
    #expect(tokens.map(\.text) == words)
    #expect(tokens.map(\.length) == lengths)
  }

  @Test(
    arguments: [
      ("krieg", "Krieg und Frieden", true), ("krieg frieden", "Krieg und Frieden", true),
      ("krieg reis", "Krieg und Frieden", false), ("krieg -und", "Krieg und Frieden", false),
      ("fried*", "Krieg und Frieden", true), ("fried", "Krieg und Frieden", false),
      ("-fried*", "Krieg und Frieden", false), ("-x", "Krieg", true), ("C++", "c", true),
    ] as [(String, String, Bool)])
  func `a search asks for words, their beginnings, and for their absence`(
    search: String, text: String, matches: Bool
  ) throws {
    let query = try FullTextQuery(search, offset: 0)
    #expect(query.matches(.string(text)) == matches)
    #expect(!query.matches(.null))
  }

  @Test(
    arguments: [
      (" ", .emptySearch(offset: 7)), ("a -a", .contradictorySearch(offset: 7)),
      ("a,b", .invalidSearchWord(offset: 7)), ("-", .invalidSearchWord(offset: 7)),
      (String(repeating: "a ", count: 201), .tooManyTerms(offset: 7, limit: 200)),
    ] as [(String, QueryError)])
  func `a search that asks for nothing, or for two things at once, is refused`(
    search: String, error: QueryError
  ) {
    #expect(throws: error) { try FullTextQuery(search, offset: 7) }
  }
}
