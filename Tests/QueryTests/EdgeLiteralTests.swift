import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

/// Literals, arguments and words at the edges of what they can be.
@Suite struct EdgeLiteralTests {
  private func outcome(_ filter: String, _ arguments: [Value] = []) -> String {
    do { return try Library.text(filter, arguments) } catch { return "\(error)" }
  }

  @Test(arguments: [("NaN", Value.double(.nan)), ("inf", .double(.infinity)), ("-inf", .double(-.infinity))])
  func `an argument without a finite value means what the literal does`(literal: String, argument: Value) {
    for property in [
      "pages", "weight", "rating", "price", "title", "extra", "lent", "printed", "scores", "oid", "pages * 2",
    ] {
      #expect(outcome("\(property) > $0", [argument]) == outcome("\(property) > \(literal)"), "\(property)")
    }
  }

  @Test(arguments: ["pages", "weight", "price", "title"])
  func `a decimal without a finite value is as much a number as a double`(property: String) {
    let isRefused = outcome("\(property) > NaN").contains("infinityUnsupported")
    #expect(outcome("\(property) > $0", [.decimal128(.nan)]).contains("infinityUnsupported") == isRefused)
  }

  @Test(arguments: [
    ("c++", "c"), ("(swift)", "swift"), ("-c++ a", "-c a"), ("c++*", "c*"), ("'quoted'", "quoted"),
    ("日a本", "a"),
  ])
  func `what separates words may stand at either end of one`(search: String, same: String) throws {
    #expect(
      try Library.plan("title TEXT $0", [.string(search)]) == Library.plan("title TEXT $0", [.string(same)]))
  }

  @Test(arguments: ["a-b", "a+b c", "++", "-", "*", "-++", "日本"])
  func `words with separators inside, and without letters, are refused`(search: String) {
    #expect(throws: QueryError.invalidSearchWord(offset: 11)) {
      try Library.plan("title TEXT $0", [.string(search)])
    }
  }

  @Test func `hexadecimal numbers have either x`() throws {
    #expect(try Library.plan("pages == 0X1F") == Library.plan("pages == 31"))
    #expect(try Library.plan("pages == 0x1f") == Library.plan("pages == 31"))
    #expect(throws: QueryError.self) { try Library.plan("pages == 0X") }
  }

  @Test func `over links, BETWEEN is a comparison with each bound`() throws {
    for quantifier in ["", "ANY ", "ALL ", "NONE "] {
      let path = quantifier + "author.books.pages"
      #expect(
        try Library.plan("\(path) BETWEEN {1, $0}", [.int32(5)]).predicate
          == Library.plan("(\(path) >= 1 AND \(path) <= 5)").predicate)
    }
    #expect(throws: QueryError.betweenNeedsAll(offset: 15)) { try Library.plan("scores BETWEEN {1, 2}") }
  }

  @Test func `an aggregate over a link is that of one object`() throws {
    #expect(try Library.text("author.mentor.@max.born > T0:0") == "author.mentor.@max.born > T0:0")
    #expect(try Library.text("readers.mentor.@min.born == null") == "readers.mentor.@min.born == null")
    #expect(throws: QueryError.self) { try Library.plan("pages.@max.born == null") }
  }
}
