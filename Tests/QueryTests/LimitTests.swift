import GatehouseBSON
import GatehouseQuery
import Testing

/// Limits of the size of a query before it is bound, and their errors.
@Suite struct LimitTests {
  private struct Use: Sendable {
    let term: String
    let count: Int
    let argument: Value
    /// Where the use stands that is one too many.
    let offset: Int?
  }

  private static let list = Value.array((0..<10_000).map { .int32($0) })
  private static let text = Value.string(String(repeating: "x", count: 1 << 20))
  private static let data = Value.binary(Binary(bytes: Array(repeating: 0, count: 8 << 20)))
  private static let path = Value.string(String(repeating: "author.", count: 8_000))

  private static let uses: [Use] = [
    Use(term: "pages IN $0", count: 2, argument: list, offset: nil),
    Use(term: "pages IN $0", count: 3, argument: list, offset: 39),
    Use(term: "title == $0", count: 19, argument: text, offset: nil),
    Use(term: "title == $0", count: 20, argument: text, offset: 294),
    Use(term: "cover == $0", count: 3, argument: data, offset: 39),
    Use(term: "$K0 == 'x'", count: 4, argument: path, offset: 28),
    Use(term: "title TEXT $0", count: 200, argument: .string("a"), offset: nil),
  ]

  @Test func `arguments count as often as they are used`() {
    for use in Self.uses {
      let filter = Array(repeating: use.term, count: use.count).joined(separator: " OR ")
      #expect(
        refusal(filter, [use.argument]) == use.offset.map { .tooManyTerms(offset: $0, limit: 20_000) },
        "\(use.term)")
    }
  }

  @Test func `a path follows at most 16 links`() {
    let links = String(repeating: "author.books.", count: 8)
    #expect(refusal(links + "pages == 1") == nil)
    #expect(refusal(links + "author.name == 'x'") == .tooDeep(offset: 104, limit: 16))
  }

  private func refusal(_ filter: String, _ arguments: [Value] = []) -> QueryError? {
    do { _ = try Library.plan(filter, arguments) } catch { return error }
    return nil
  }

  private static let mentor = "author.mentor.mentor."
  private static let orders: [(path: String, count: Int, error: QueryError?)] = [
    ("\(mentor)mentor.mentor.mentor.mentor.mentor.name", 1, nil),
    ("\(mentor)mentor.mentor.mentor.mentor.mentor.mentor.name", 1, .tooDeep(offset: 0, limit: 8)),
    ("\(mentor)name", 64, nil), ("\(mentor)mentor.name", 64, .tooManyTerms(offset: 0, limit: 256)),
    ("pages", 65, .tooManyTerms(offset: 0, limit: 64)),
  ]

  @Test func `an order follows at most 8 links, and all of its paths at most 256`() {
    for (path, count, error) in Self.orders {
      let sort = Array(repeating: path, count: count).joined(separator: ",")
      var refused: QueryError?
      do {
        _ = try Plan(request: QueryRequest(sort: sort), schema: Library.schema, objectType: "Book")
      } catch { refused = error }
      if case .parameter(_, let inner) = refused { refused = inner }
      #expect(refused == error, "\(count) of \(path)")
    }
  }

  @Test func `a search has at most 200 words`() throws {
    func text(_ count: Int) -> String {
      "title TEXT '" + (0..<count).map { "w\($0)" }.joined(separator: " ") + "'"
    }
    _ = try Library.plan(text(200))
    #expect(throws: QueryError.tooManyTerms(offset: 11, limit: 200)) { try Library.plan(text(201)) }
  }
}
